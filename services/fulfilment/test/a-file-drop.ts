import { startComposers } from '@despatch/composer/composers'
import { createLogger, type Logger } from '@despatch/telemetry/logger'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { createFileDropClient, type FileDropClient } from '../src/file-drop/file-drop-client.ts'
import { passFileDrop } from '../src/file-drop/file-drop-pass.ts'
import type { FileDropObjects } from '../src/file-drop/take-files-in.ts'
import { aFulfilment } from './a-fulfilment.ts'
import { aPdf } from './a-pdf.ts'

type PassOptions = { objects?: FileDropObjects; client?: FileDropClient; log?: Logger }

/** A fulfilment whose provider `north` uses the file-drop. Closing it empties the provider's folder. */
export async function aFileDrop() {
  const fulfilment = await aFulfilment()
  const { database, objects } = fulfilment
  const { pool, db } = database
  const log = createLogger({ service: 'fulfilment', level: 'silent' })
  const composers = startComposers({ threadsMax: 1 })
  const client = await createFileDropClient({ db, objects, composers, log })
  // the object store is shared with other tests
  const north = `north-${crypto.randomUUID()}`
  const root = `file-drop/${north}`

  async function becomeNorth(): Promise<void> {
    await pool.query(
      `insert into provider (id, name, exchange) values ($1, 'North', 'file-drop')`,
      [north],
    )
    await pool.query(
      `insert into print_site (provider_id, print_location, share, capabilities)
       select $1, print_location, share, capabilities from print_site where provider_id = 'north'`,
      [north],
    )
    await pool.query(`update print_site set enabled = false where provider_id <> $1`, [north])
    const { consumerId } = await insertConsumer(db)
    await pool.query(`update consumer set provider_id = $1, roles = '{provider}' where id = $2`, [
      north,
      consumerId,
    ])
  }
  await becomeNorth()

  const keys = (folder: string) => objects.list(`${root}/${folder}/`, { keysMax: 10_000 })
  const names = async (folder: string) =>
    (await keys(folder)).map((key) => key.slice(`${root}/${folder}/`.length))

  async function readBytes(name: string): Promise<Buffer | undefined> {
    const object = await objects.get(`${root}/${name}`, { bytesMax: 1e8 })
    return object && Buffer.from(object.bytes)
  }

  const pass = (options: PassOptions = {}) =>
    passFileDrop({
      database,
      objects,
      client,
      log,
      signal: new AbortController().signal,
      ...options,
    })

  /** Puts a file into `in/`. */
  const lay = (name: string, content: unknown) =>
    objects.put(
      `${root}/in/${name}`,
      Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content)),
      'application/json',
    )

  // biome-ignore lint/suspicious/noExplicitAny: what is in a file is what a test says of it
  async function read(name: string): Promise<any> {
    const bytes = await readBytes(name)
    return bytes && JSON.parse(bytes.toString())
  }

  /** A released run of `documents` documents, with their files stored. */
  async function aRunToTake(documents: number) {
    const files = Array.from({ length: documents }, () => aPdf(crypto.randomUUID(), 'back'))
    const run = await fulfilment.aReleasedRun(...files.map((file) => ({ file })))
    for (const { content, sha256 } of run.printJobs) await fulfilment.putDocument(content, sha256)
    return run
  }

  async function aRunLaidOut(documents: number) {
    const run = await aRunToTake(documents)
    await pass()
    const { batchNumber } = run
    const out = `out/${batchNumber}`
    const manifest = await read(`${out}/manifest.json`)
    const { manifestDigest, totals } = manifest
    const { documentCount, sheetCount } = totals
    const acknowledgement = { batchNumber, documentCount, sheetCount, manifestDigest }
    const documentIds: string[] = manifest.documents.map(
      ({ documentId }: { documentId: string }) => documentId,
    )
    return { ...run, out, manifest, acknowledgement, documentIds }
  }

  async function anAcknowledgedRun(documents: number) {
    const run = await aRunLaidOut(documents)
    await lay(`${run.batchNumber}.acknowledgement.json`, run.acknowledgement)
    await pass()
    return run
  }

  return {
    ...fulfilment,
    provider: north,
    root,
    client,
    log,
    names,
    readBytes,
    read,
    lay,
    pass,
    aRunToTake,
    aRunLaidOut,
    anAcknowledgedRun,
    close: async () => {
      for (const folder of ['in', 'out', 'ack', 'error']) {
        for (const key of await keys(folder)) await objects.remove(key)
      }
      await client.close()
      await composers.close()
      await fulfilment.close()
    },
  }
}

export function anEvent(documentId: string, type: string, attempt = 1) {
  return {
    eventId: `${documentId} ${type} ${attempt}`,
    documentId,
    attempt,
    type,
    occurredAt: '2026-11-20T12:00:00Z',
    ...(type === 'SPOILED' && { reasonCode: 'JAM' }),
  }
}

export function aPostingOf(batchNumber: string) {
  return { batchNumber, carrier: 'Royal Mail', handoverAt: '2026-11-20T17:30:00Z' }
}
