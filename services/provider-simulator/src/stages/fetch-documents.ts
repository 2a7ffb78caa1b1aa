import { DespatchError } from '@despatch/client/despatch-error'
import type { Manifest, ManifestDocument } from '@despatch/client/print-run'
import type { ProviderClient } from '@despatch/client/provider-client'
import { type DocumentOrder, decideRefusal } from '../floor/decide-document.ts'
import type { Production } from '../print-run/production.ts'
import type { Refusal, RunInHand } from '../print-run/run-book.ts'
import type { Lease } from './keep-lease.ts'

type Attempt = Pick<ManifestDocument, 'documentId' | 'attempt' | 'sha256' | 'content'>

const documentsAtOnceMax = 8
/** A wrong file may have been damaged in transit, so it is fetched again. */
const fetchesMax = 2

/**
 * Fetches and checks every file of a run, and saves which documents are refused. Does not fetch a file again after a
 * crash.
 */
export async function fetchDocuments(
  run: RunInHand,
  { manifest, lease }: { manifest: Manifest; lease: Lease },
  production: Production,
): Promise<void> {
  if (run.record.refusals) return
  const refusals: Refusal[] = []
  const orders: Record<string, DocumentOrder> = {}
  await inParallel(manifest.documents, documentsAtOnceMax, async (document) => {
    await lease.keep()
    const { documentId } = document
    const order = await production.outcomeOf(documentId)
    if (order.outcome !== 'print') orders[documentId] = order
    const cause =
      decideRefusal(documentId, order, production.settings) ??
      (await fetchDocument(run, document, production))
    if (cause) refusals.push({ documentId, ...cause })
  })
  await production.reach('after-fetch', run)
  // Saved before the call, because a repeated acknowledgement must refuse the same documents.
  await run.save({ refusals, orders })
}

/** Fetches the file of an attempt. Returns the cause if the file differs from the announced one each time. */
export async function fetchDocument(
  { batchNumber, journal }: RunInHand,
  document: Attempt,
  { client, clock, onEvent }: Production,
): Promise<{ reasonCode: string; reason: string } | undefined> {
  const { documentId, attempt } = document
  if (journal.latest(documentId)?.attempt === attempt) return
  const file = await download(document, client)
  if (!file) return { reasonCode: 'DIGEST', reason: 'The file does not match the manifest' }
  onEvent({ kind: 'fetched', batchNumber, documentId, bytes: file.byteLength })
  const occurredAt = clock().toISOString()
  await journal.note({ documentId, attempt, type: 'FETCHED', occurredAt })
}

async function download(
  document: Attempt,
  client: ProviderClient,
): Promise<Uint8Array | undefined> {
  for (let fetches = 1; fetches <= fetchesMax; fetches++) {
    const file = await client.getDocument(document).catch((error: unknown) => {
      if (!(error instanceof DespatchError) || error.kind !== 'not-verified') throw error
    })
    if (file) return file
  }
  return undefined
}

/**
 * Works on the items, at most `atOnceMax` at once. After a failure it starts no further item. It throws the first
 * failure once the items under way have ended, so that no work continues after it returns.
 */
async function inParallel<Item>(
  items: readonly Item[],
  atOnceMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const failures: unknown[] = []
  const workOn = async () => {
    for (const item of waiting) {
      if (failures.length > 0) return
      await work(item).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnceMax }, workOn))
  if (failures.length > 0) throw failures[0]
}
