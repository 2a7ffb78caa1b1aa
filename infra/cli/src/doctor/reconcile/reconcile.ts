import { findAcceptedLetters } from './accepted-letters.ts'
import { findLiveLetters } from './live-letters.ts'
import { findMissingObjects } from './missing-objects.ts'
import { findPrintedDocuments } from './printed-documents.ts'
import type { Reconciliation, ReconciliationCheck, ReconciliationItem } from './reconciliation.ts'

/** What would be printed twice comes first: it is the only thing that gets worse once the services run. */
const checks: readonly ReconciliationCheck[] = [
  findPrintedDocuments,
  findMissingObjects,
  findLiveLetters,
  findAcceptedLetters,
]

/** Compares the database with the bucket, with itself and with what providers and consumers know. */
export async function* reconcile(
  reconciliation: Reconciliation,
): AsyncGenerator<ReconciliationItem> {
  for (const check of checks) yield* check(reconciliation)
}
