import type { TakenStep } from '@despatch/store/print-job/steps'
import { predefinedRefusal, printScenario } from '@despatch/uat-scenarios/print-scenarios'
import type { Outcome, Stage } from './stage.ts'
import { rejectFor } from './stage.ts'

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

/** Returns the outcomes of the test environment: some recipients have one, whatever else their print jobs contain. */
export function predefinedByRecipient({
  uploadBytesMax,
  now,
}: {
  uploadBytesMax: number
  now: () => Date
}): PredefinedOutcome {
  return (status, { standardParams: { recipientName }, pagesMax, files, submittedAt }) => {
    const fileIds = files.map(({ fileId }) => fileId)
    const refusal = predefinedRefusal(recipientName, { fileIds, pagesMax, uploadBytesMax })
    if (refusal?.status === status) return rejectFor([refusal.finding])
    // its files are never looked at, so they cannot be refused for another reason before
    if (refusal) {
      return status === 'QUARANTINE' ? { kind: 'advance', transition: 'release' } : undefined
    }

    const outcome = printScenario(recipientName)?.outcome
    if (outcome?.kind !== 'stay' || outcome.status !== status) return undefined
    const leftMs = submittedAt.getTime() + outcome.seconds * 1000 - now().getTime()
    if (leftMs <= 0) return undefined
    return { kind: 'wait', seconds: Math.ceil(leftMs / 1000), reason: 'slow on purpose' }
  }
}
