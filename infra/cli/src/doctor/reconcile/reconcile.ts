import { listAcceptedLetters } from './accepted-letters.ts'
import { listLiveLetters } from './live-letters.ts'
import { listMissingObjects } from './missing-objects.ts'
import { listPrintedDocuments } from './printed-documents.ts'
import type { Reconciliation, ReconciliationCheck, ReconciliationItem } from './reconciliation.ts'

/** Documents that would be printed twice come first: only they get worse once the services run. */
const checks: readonly ReconciliationCheck[] = [
  listPrintedDocuments,
  listMissingObjects,
  listLiveLetters,
  listAcceptedLetters,
]

/** Compares the database with the bucket, with itself and with the data of providers and consumers. */
export async function* reconcile(
  reconciliation: Reconciliation,
): AsyncGenerator<ReconciliationItem> {
  for (const check of checks) yield* check(reconciliation)
}
