import type { TakenStep } from '@despatch/store/print-job/steps'
import { type PrintScenario, printScenario } from '@despatch/uat-scenarios/print-scenarios'
import type { Outcome, Stage } from './stage.ts'

/** Says what a stage is to decide on a step without looking at it. Undefined: the stage decides. */
export type PredefinedOutcome = (
  status: Stage<never>['status'],
  step: PredefinedStep,
) => Outcome | undefined

type PredefinedStep = Pick<TakenStep, 'submittedAt' | 'pagesMax' | 'standardParams'> & {
  files: readonly Pick<TakenStep['files'][number], 'fileId'>[]
}

/** Outside of the test environment a recipient is nothing but a recipient. */
export const nothingPredefined: PredefinedOutcome = () => undefined

/** What comments name when the print job has no file. */
const exampleFileId = 'scan'

/** In the test environment some recipients have an outcome, whatever else is in their print jobs. */
export function predefinedByRecipient({
  uploadBytesMax,
  now,
}: {
  uploadBytesMax: number
  now: () => Date
}): PredefinedOutcome {
  return (status, step) => {
    const scenario = printScenario(step.standardParams.recipientName)
    return scenario && decide({ scenario, status, step, uploadBytesMax, now: now() })
  }
}

function decide({
  scenario: { outcome },
  status,
  step,
  uploadBytesMax,
  now,
}: {
  scenario: PrintScenario
  status: Stage<never>['status']
  step: PredefinedStep
  uploadBytesMax: number
  now: Date
}): Outcome | undefined {
  switch (outcome.kind) {
    case 'reject': {
      if (outcome.status !== status) return undefined
      const fileId = step.files[0]?.fileId ?? exampleFileId
      const comment = outcome.comment({ fileId, pagesMax: step.pagesMax, uploadBytesMax })
      return { kind: 'reject', comment }
    }
    case 'stay': {
      const leftMs = step.submittedAt.getTime() + outcome.seconds * 1000 - now.getTime()
      if (outcome.status !== status || leftMs <= 0) return undefined
      return { kind: 'wait', seconds: Math.ceil(leftMs / 1000), reason: 'slow on purpose' }
    }
    case 'ordinary':
    case 'provider':
      return undefined
  }
}
