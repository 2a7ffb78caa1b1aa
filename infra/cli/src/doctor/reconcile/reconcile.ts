import { findAcceptedLetters } from './accepted-letters.ts'
import { findLiveLetters } from './live-letters.ts'
import { findMissingObjects } from './missing-objects.ts'
import { findPrintedDocuments } from './printed-documents.ts'
import type { Reconciliation, ReconciliationCheck, ReconciliationItem } from './reconciliation.ts'

/** Documents that would be printed twice come first: only they get worse once the services run. */
const checks: readonly ReconciliationCheck[] = [
  findPrintedDocuments,
  findMissingObjects,
  findLiveLetters,
  findAcceptedLetters,
]

/** Compares the database with the bucket, with itself and with the data of providers and consumers. */
export async function* reconcile(
  reconciliation: Reconciliation,
): AsyncGenerator<ReconciliationItem> {
  for (const check of checks) yield* check(reconciliation)
}
