import { randomUUID } from 'node:crypto'
import type { Manifest, Reconciliation } from '@despatch/client/print-run'
import { documentsLost } from '../floor/documents.ts'
import type { Production } from '../print-run/production.ts'
import type { RunInHand } from '../print-run/run-book.ts'
import { finishPostings } from './post-documents.ts'

/** The platform may have lost more documents. They are posted at the next try. */
const missingDocumentsMax = 1_000

/** Closes a run if every document is accounted for. First posts again what the platform has lost. */
export async function closeRun(
  run: RunInHand,
  manifest: Manifest,
  production: Production,
): Promise<'closed' | 'unaccounted'> {
  const { client, onEvent } = production
  const { batchNumber } = run
  const read = () => client.getReconciliation(batchNumber, { limit: missingDocumentsMax })
  let account = await read()
  if (!account.isBalanced && (await reportAgain(run, account, { manifest, production }))) {
    account = await read()
  }
  if (!account.isBalanced) return 'unaccounted'
  await production.reach('before-close', run)
  await client.closePrintRun(batchNumber)
  onEvent({ kind: 'closed', batchNumber, documentCount: account.expected })
  return 'closed'
}

async function reportAgain(
  run: RunInHand,
  { missingDocuments }: Reconciliation,
  { manifest, production }: { manifest: Manifest; production: Production },
): Promise<boolean> {
  const documentIds = documentsLost(missingDocuments, run.record)
  if (documentIds.length === 0) return false
  const { batchNumber } = run
  production.log.warn({ batchNumber, documentCount: documentIds.length }, 'postings.lost')
  const handoverAt = production.clock().toISOString()
  const posting = { postingKey: randomUUID(), handoverAt, documentIds, isRepeat: true }
  await run.save({ postings: [...(run.record.postings ?? []), posting] })
  await finishPostings(run, manifest, production)
  return true
}
