import type { ReconciliationResponse } from '@despatch/contracts/print-fulfilment/reconciliation'
import { missingCount } from '@despatch/domain/print-run/state'
import {
  missingDocuments,
  type PlatformRun,
  reconciliationCountsOf,
  stateOf,
} from './platform-run.ts'

export function renderAccount(run: PlatformRun) {
  const { expected, despatched, refused, failed, recalled } = reconciliationCountsOf(run)
  const missing = missingCount(reconciliationCountsOf(run))
  return { expected, despatched, refused, failed, recalled, missing }
}

export function renderReconciliation(run: PlatformRun, now: Date): ReconciliationResponse {
  const account = renderAccount(run)
  const withState = (state: string) => run.reprints.filter((each) => each.state === state).length
  return {
    batchNumber: run.batchNumber,
    state: stateOf(run, now),
    ...account,
    reprints: withState('AUTHORISED'),
    waitingReprints: withState('WAITING'),
    isBalanced: account.missing === 0,
    missingDocuments: missingDocuments(run).map(
      ({ documentId, sequence, standing, postingId }) => ({
        documentId,
        sequence,
        attempt: standing.attempt,
        progress: standing.progress ?? 'NONE',
        isPosted: postingId !== undefined,
      }),
    ),
  }
}
