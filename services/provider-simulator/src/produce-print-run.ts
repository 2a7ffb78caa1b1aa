import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Refused } from './api-session.ts'
import type { DocumentOutcomes } from './document-outcomes.ts'
import type { FulfilmentClient, Refusal } from './fulfilment-client.ts'
import { checkManifest, type Manifest, type ManifestDocument } from './manifest.ts'
import type { PrintLog } from './print-log.ts'
import type { RunBook, RunRecord } from './run-book.ts'

export type ProductionEvent =
  | { kind: 'claimed'; batchNumber: string; documentCount: number }
  | { kind: 'fetched'; batchNumber: string; documentId: string; bytes: number }
  | { kind: 'printed'; batchNumber: string; documentId: string; sheets: number }
  | { kind: 'acknowledged'; batchNumber: string; refusedCount: number }
  | { kind: 'posted'; batchNumber: string; documentCount: number }

export type Production = {
  client: FulfilmentClient
  outcomeOf: DocumentOutcomes
  runBook: RunBook
  printLog: PrintLog
  printTimeMs: number
  signal: AbortSignal
  onEvent: (event: ProductionEvent) => void
}

export type ProductionResult = {
  /** `held`: nothing is posted, and not because all of it was refused. */
  outcome: 'posted' | 'refused' | 'held' | 'withdrawn'
  documentCount: number
}

const documentsAtOnceMax = 4

/**
 * Takes a print run from claim to posting. After a crash it is simply called again: each call to the API is repeated
 * with the key it had, and what has been printed is not printed again.
 */
export async function producePrintRun(
  batchNumber: string,
  production: Production,
): Promise<ProductionResult> {
  const { runBook } = production
  let record = await runBook.take(batchNumber)
  const manifest = await claim(batchNumber, record, production)
  if (manifest) {
    record = await printAndAcknowledge(manifest, record, production)
    record = await post(manifest, record, production)
  }
  await runBook.save(batchNumber, { ...record, finishedAt: new Date().toISOString() })
  if (!manifest) return { outcome: 'withdrawn', documentCount: 0 }
  const documentCount = postedIds(manifest, record).length
  if (documentCount > 0) return { outcome: 'posted', documentCount }
  return { outcome: record.held?.length ? 'held' : 'refused', documentCount }
}

/** Undefined: there is nothing left to print in it, or it is not ours any more. */
async function claim(
  batchNumber: string,
  { claimKey }: RunRecord,
  { client, onEvent }: Production,
): Promise<Manifest | undefined> {
  try {
    const { documentCount } = await client.claim(batchNumber, claimKey)
    onEvent({ kind: 'claimed', batchNumber, documentCount })
  } catch (error) {
    if (error instanceof Refused && (error.status === 404 || error.status === 409)) return
    throw error
  }
  const manifest = await client.getManifest(batchNumber)
  checkManifest(manifest)
  return manifest
}

async function printAndAcknowledge(
  manifest: Manifest,
  record: RunRecord,
  production: Production,
): Promise<RunRecord> {
  if (record.acknowledgedAt) return record
  const { client, runBook, onEvent } = production
  const { batchNumber } = manifest
  // Kept before the call: a repeated acknowledgement must refuse the same documents.
  const { refusals = [], held } = record.refusals ? record : await printAll(manifest, production)
  await runBook.save(batchNumber, { ...record, refusals, ...(held && { held }) })
  await client.acknowledge(manifest, refusals)
  onEvent({ kind: 'acknowledged', batchNumber, refusedCount: refusals.length })
  const acknowledgedAt = new Date().toISOString()
  const acknowledged = { ...record, refusals, ...(held && { held }), acknowledgedAt }
  await runBook.save(batchNumber, acknowledged)
  return acknowledged
}

type Printed = Required<Pick<RunRecord, 'refusals'>> & Pick<RunRecord, 'held'>

async function printAll(manifest: Manifest, production: Production): Promise<Printed> {
  const refusals: Refusal[] = []
  const held: string[] = []
  const waiting = manifest.documents.values()
  const printNext = async () => {
    for (const document of waiting) {
      const { documentId } = document
      const ordered = await production.outcomeOf(documentId)
      if (ordered.outcome === 'hold') held.push(documentId)
      const refusal =
        ordered.outcome === 'refuse'
          ? { documentId, reasonCode: ordered.reasonCode, reason: ordered.reason }
          : await printOne(manifest, document, production)
      if (refusal) refusals.push(refusal)
    }
  }
  await Promise.all(Array.from({ length: documentsAtOnceMax }, printNext))
  return held.length > 0 ? { refusals, held } : { refusals }
}

async function printOne(
  { batchNumber }: Manifest,
  document: ManifestDocument,
  { client, printLog, onEvent }: Production,
): Promise<Refusal | undefined> {
  const { documentId, attempt, sha256, sheets } = document
  if (printLog.wasPrinted(document)) return
  const file = await client.fetchContent(document)
  onEvent({ kind: 'fetched', batchNumber, documentId, bytes: file.byteLength })
  if (createHash('sha256').update(file).digest('hex') !== sha256) {
    return { documentId, reasonCode: 'DIGEST', reason: 'The file is not that of the manifest' }
  }
  const result = await printLog.print({ documentId, attempt, batchNumber, sha256 })
  if (result === 'printed') onEvent({ kind: 'printed', batchNumber, documentId, sheets })
}

async function post(
  manifest: Manifest,
  record: RunRecord,
  { client, runBook, printTimeMs, signal, onEvent }: Production,
): Promise<RunRecord> {
  const { batchNumber } = manifest
  const documentIds = postedIds(manifest, record)
  if (documentIds.length === 0) return record
  const readyMs = Date.parse(record.acknowledgedAt ?? '') + printTimeMs
  await pause(Math.max(readyMs - Date.now(), 0), undefined, { signal })
  // Kept before the call: a repeated posting must be the same posting.
  const handedOver = { ...record, handoverAt: record.handoverAt ?? new Date().toISOString() }
  await runBook.save(batchNumber, handedOver)
  const { postingKey, handoverAt, held } = handedOver
  const posting = { batchNumber, ...(held && { documentIds }) }
  await client.confirm(await client.post(posting, postingKey, handoverAt))
  onEvent({ kind: 'posted', batchNumber, documentCount: documentIds.length })
  return handedOver
}

function postedIds({ documents }: Manifest, { refusals = [], held = [] }: RunRecord): string[] {
  const left = new Set([...refusals.map(({ documentId }) => documentId), ...held])
  return documents.map(({ documentId }) => documentId).filter((id) => !left.has(id))
}
