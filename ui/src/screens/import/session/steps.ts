// The steps of an import, in order.
export type ImportStep = 'source' | 'mapping' | 'rehearsal' | 'accept'

export const STEPS: readonly ImportStep[] = ['source', 'mapping', 'rehearsal', 'accept']

export const stepAfter = (step: ImportStep): ImportStep | undefined => STEPS[STEPS.indexOf(step) + 1]
export const stepBefore = (step: ImportStep): ImportStep | undefined => STEPS[STEPS.indexOf(step) - 1]
