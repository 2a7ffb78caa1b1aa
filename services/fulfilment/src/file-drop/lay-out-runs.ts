import { documentKey } from '@despatch/object-store/keys'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import type { FileDropCaller, FileDropClient } from './file-drop-client.ts'
import { clearRun, putJson } from './folder.ts'
import { type FileDropKeys, fileDropKeys } from './layout.ts'
import type { FileDropObjects } from './take-files-in.ts'

type Effects = { db: Db; objects: FileDropObjects; client: FileDropClient; signal: AbortSignal }
type Manifest = {
  fulfilmentJobs: { fulfilmentJobId: string; templateData?: string }[]
  documents: { documentId: string; sha256: string; bytes: number }[]
}

const runsMax = 1_000
const copiesAtOnce = 8
/** The longest lease that is allowed, because a person has to look into the folder before the run is acknowledged. */
const leaseSeconds = 86_400
const voidedDays = 7

/**
 * Claims each run that is offered to a provider and writes its manifest, files and template data into the provider's
 * folder. `ready.json` comes last: while it is missing, the run is incomplete and is written again. A run that was
 * reassigned gets `voided.json` in place of its files.
 */
export async function layOutRuns(effects: Effects, caller: FileDropCaller): Promise<void> {
  const { db, objects } = effects
  const { providerId } = caller
  const keys = fileDropKeys(providerId)
  for (const batchNumber of await listUnacknowledgedRuns(db, { providerId, runsMax })) {
    if (await objects.head(keys.ready(batchNumber))) continue
    await layOutRun(effects, caller, { keys, batchNumber })
  }
  for (const run of await listVoidedRuns(db, { providerId, sinceDays: voidedDays })) {
    if (await objects.head(keys.voided(run.batchNumber))) continue
    await clearRun(objects, keys, run.batchNumber)
    await putJson(objects, keys.voided(run.batchNumber), run)
  }
}

async function layOutRun(
  { objects, client, signal }: Effects,
  caller: FileDropCaller,
  { keys, batchNumber }: { keys: FileDropKeys; batchNumber: string },
): Promise<void> {
  const claim = await client.call(caller, {
    method: 'POST',
    path: `/print-runs/${batchNumber}/claim`,
    idempotencyKey: `file-drop:${batchNumber}`,
    body: { leaseSeconds },
  })
  // the run was withdrawn, reassigned or acknowledged since it was listed
  if (claim.status === 404 || claim.status === 409) return
  if (claim.status !== 200) throw new Error(`A claim returned ${claim.status}`)

  const read = await client.call(caller, {
    method: 'GET',
    path: `/print-runs/${batchNumber}/manifest`,
  })
  if (read.status !== 200) throw new Error(`A manifest returned ${read.status}`)
  const manifest = JSON.parse(read.bytes.toString()) as Manifest
  await objects.put(keys.manifest(batchNumber), read.bytes, 'application/json')
  await copyDocuments({ objects, signal }, { keys, batchNumber, documents: manifest.documents })
  await layOutTemplateData({ objects, client }, caller, { keys, batchNumber, manifest })
  await objects.put(keys.ready(batchNumber), claim.bytes, 'application/json')
}

async function copyDocuments(
  { objects, signal }: Pick<Effects, 'objects' | 'signal'>,
  {
    keys,
    batchNumber,
    documents,
  }: { keys: FileDropKeys; batchNumber: string; documents: Manifest['documents'] },
): Promise<void> {
  const folder = keys.documents(batchNumber)
  const there = new Set(await objects.list(folder, { keysMax: documents.length }))
  const missing = documents
    .filter(({ documentId }) => !there.has(keys.document(batchNumber, documentId)))
    .values()
  const copyOn = async () => {
    for (const { documentId, sha256, bytes } of missing) {
      signal.throwIfAborted()
      const from = documentKey(sha256)
      const head = await objects.head(from)
      if (head?.bytes !== bytes)
        throw new Error(`The file of document ${documentId} does not exist`)
      const copied = await objects.copy(from, keys.document(batchNumber, documentId), head)
      if (copied === 'changed') throw new Error(`The file of document ${documentId} has changed`)
    }
  }
  await Promise.all(Array.from({ length: copiesAtOnce }, copyOn))
}

async function layOutTemplateData(
  { objects, client }: Pick<Effects, 'objects' | 'client'>,
  caller: FileDropCaller,
  { keys, batchNumber, manifest }: { keys: FileDropKeys; batchNumber: string; manifest: Manifest },
): Promise<void> {
  const chunks: Buffer[] = []
  for (const { fulfilmentJobId, templateData } of manifest.fulfilmentJobs) {
    if (templateData === undefined) continue
    const path = `/print-runs/${batchNumber}/fulfilment-jobs/${fulfilmentJobId}/template-data`
    const { status, bytes } = await client.call(caller, { method: 'GET', path })
    if (status !== 200) throw new Error(`Template data returned ${status}`)
    chunks.push(bytes)
  }
  const lines = Buffer.concat(chunks)
  if (lines.length === 0) return
  await objects.put(keys.templateData(batchNumber), lines, 'application/x-ndjson')
}

/**
 * Lists the print runs that the provider has not claimed yet, then those that it has not acknowledged. Oldest release
 * first in each group.
 */
async function listUnacknowledgedRuns(
  db: Db,
  { providerId, runsMax }: { providerId: string; runsMax: number },
): Promise<string[]> {
  const { rows } = await sql<{ batch_number: string }>`
    select batch_number from print_run
    where provider_id = ${providerId} and state in ('RELEASED', 'CLAIMED')
    order by state = 'CLAIMED', released_at, batch_number limit ${runsMax}`.execute(db)
  return rows.map(({ batch_number }) => batch_number)
}

/**
 * Lists claimed print runs that an operator moved in the last `sinceDays` days. The files that the provider received
 * for them are void.
 */
async function listVoidedRuns(
  db: Db,
  { providerId, sinceDays }: { providerId: string; sinceDays: number },
): Promise<{ batchNumber: string; voidedAt: Date }[]> {
  const { rows } = await sql<{ batchNumber: string; voidedAt: Date }>`
    select batch_number as "batchNumber", voided_at as "voidedAt" from print_run
    where provider_id = ${providerId} and state = 'VOIDED' and claimed_at is not null
      and voided_at > now() - ${sinceDays}::integer * interval '1 day'
    order by batch_number`.execute(db)
  return rows
}
