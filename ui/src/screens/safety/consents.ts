// What the user must agree to before everything about a number is deleted.
import type { ErasurePreview, ErasureRun } from '../../api/generated'
import { m } from '../../gen/words'
import { formatList } from '../../lib/format'
import { visible } from '../../lib/text'

export type Consent = Exclude<keyof ErasureRun, 'number' | 'rows'>

interface ConsentChoice {
  id: Consent
  label: string
  hint: string
}

/** Returns what stands in the way and can be agreed to. */
export function listConsents(preview: ErasurePreview): ConsentChoice[] {
  const params = { service: visible(preview.service ?? '') }
  const hints = [
    preview.at_service > 0 && m.safety_delete_here_hint(params),
    preview.mentioned_at_service > 0 && m.safety_delete_mentioned_hint(params),
  ].filter((hint) => hint !== false)
  const choices: readonly (ConsentChoice | false)[] = [
    hints.length > 0 && {
      id: 'here_only',
      label: m.safety_delete_here(),
      hint: hints.join(' '),
    },
    preview.unreadable.length > 0 && {
      id: 'delete_unreadable',
      label: m.safety_delete_unread(),
      hint: m.safety_delete_unread_hint({ files: formatList(preview.unreadable.map(visible)) }),
    },
    preview.has_imports && {
      id: 'discard_imports',
      label: m.safety_delete_imports(),
      hint: m.safety_delete_imports_hint(),
    },
    preview.has_server_state && {
      id: 'discard_server_state',
      label: m.safety_delete_server(),
      hint: m.safety_delete_server_hint(),
    },
  ]
  return choices.filter((choice) => choice !== false)
}

/** Returns the request for the deletion that was shown, or undefined while something stands in the way. */
export function createRequest(
  preview: ErasurePreview,
  agreed: Readonly<Partial<Record<Consent, boolean>>>,
): ErasureRun | undefined {
  if (preview.has_open_run || listConsents(preview).some(({ id }) => agreed[id] !== true)) return undefined
  return {
    number: preview.number,
    rows: preview.rows,
    here_only: agreed.here_only === true,
    delete_unreadable: agreed.delete_unreadable === true,
    discard_imports: agreed.discard_imports === true,
    discard_server_state: agreed.discard_server_state === true,
  }
}
