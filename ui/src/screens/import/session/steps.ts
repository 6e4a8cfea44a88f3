// The steps of an import, in order.
export type Step = 'source' | 'mapping' | 'rehearsal' | 'accept'

export const STEPS: readonly Step[] = ['source', 'mapping', 'rehearsal', 'accept']

export const stepAfter = (step: Step): Step | undefined => STEPS[STEPS.indexOf(step) + 1]
export const stepBefore = (step: Step): Step | undefined => STEPS[STEPS.indexOf(step) - 1]
