import type { TakenStep } from '@despatch/store/print-job/steps'
import { type PrintScenario, printScenario } from '@despatch/uat-scenarios/print-scenarios'
import { rejectFor } from './reject-for.ts'
import type { Outcome, Stage } from './stage.ts'

/** Returns what a stage decides on a step without checking it, or undefined to let the stage decide. */
export type PredefinedOutcome = (
  status: Stage<never>['status'],
  step: PredefinedStep,
) => Outcome | undefined

type PredefinedStep = Pick<TakenStep, 'submittedAt' | 'pagesMax' | 'standardParams'> & {
  files: readonly Pick<TakenStep['files'][number], 'fileId'>[]
}

/** Used outside the test environment: no recipient has a predefined outcome. */
export const nothingPredefined: PredefinedOutcome = () => undefined

/** The file that findings name if the print job has no file. */
const exampleFileId = 'scan'

/** Returns the outcomes of the test environment: some recipients have one, whatever else their print jobs contain. */
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
      return rejectFor([outcome.finding({ fileId, pagesMax: step.pagesMax, uploadBytesMax })])
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
