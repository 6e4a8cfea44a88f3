// The rules for when a value of the file replaces the one in the list, as choices.
import { m } from '../../../gen/words'
import type { ImportRule as Rule } from '../../../api/generated'

export const RULES: readonly Rule[] = ['never', 'if_blank', 'if_different', 'always']

const WORDS: Record<Rule, () => string> = {
  never: m.mapping_rule_never,
  if_blank: m.mapping_rule_if_blank,
  if_different: m.mapping_rule_if_different,
  always: m.mapping_rule_always,
}

export const getRuleTitle = (rule: Rule): string => WORDS[rule]()

export function listRuleChoices(): { value: Rule; title: string }[] {
  return RULES.map((rule) => ({ value: rule, title: getRuleTitle(rule) }))
}
