import { hash, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { fileKey, uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { insertProvider } from '@despatch/store/access/consumers'
import { type Database, openDatabase } from '@despatch/store/database'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { insertUpload } from '@despatch/store/print-job/uploads'
import { createLogger } from '@despatch/telemetry/logger'
import { Registry } from '@despatch/telemetry/metrics'
import { aSubmission } from '@despatch/testing/print-job-builders'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createOrphanWalk } from '../src/upkeep/orphans.ts'
import { createPurge } from '../src/upkeep/purge.ts'
import { createRemover } from '../src/upkeep/remover.ts'
import { aPipeline, type TestPipeline } from './a-pipeline.ts'

const queueBackends = await takeQueueBackends()

/** The test writes it into every field into which a consumer or a provider can write personal information. */
const canary = `canary${randomUUID().slice(0, 8)}`

/** Columns that hold what a consumer, an operator or a provider wrote. */
const personalColumns = [
  'callback.body',
  'callback_attempt.answer',
  'print_job.address_override',
  'print_job.callback_destination_sealed',
  'print_job.comment',
  'print_job.custom_params',
  'print_job.despatch_properties',
  'print_job.hold_reason',
  'print_job.printable_address',
  'print_job.unknown_members',
  'print_job.standard_params',
  'print_job_event.findings',
  'print_job_event.reason',
  'print_job_file.file_id',
  'print_run_document.despatch_properties',
  'print_run_event.despatch_properties',
  'print_run_event.reason',
  'reprint.decision_reason',
  'reprint.reason',
]

/** A picture with the canary in its description. */
const aPicture = (background: string) =>
  sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .withExif({ IFD0: { ImageDescription: canary } })
    .jpeg()
    .toBuffer()

const sha256Of = (bytes: Uint8Array) => hash('sha256', bytes)

test('no personal data of a purged letter remains in database, object store, queues or log', async () => {
  const lines: string[] = []
  const log = createLogger({
    service: 'pipeline',
    level: 'trace',
    destination: { write: (line) => void lines.push(line) },
  })
  const queueUrl = queueBackends[0]!.url
  await prepareQueues(queueUrl)
  const queue = openDatabase(queueUrl, { name: 'test', connectionsMax: 1 })
  // its own removal uses the real clock, and would postpone everything stored within the last hour
  const settings = { DESPATCH_SWEEP_INTERVAL_MS: '600000' }
  const pipeline = await aPipeline(queueUrl, settings, log)
  const { db, pool } = pipeline.database
  await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
  await pipeline.start()

  const scan = await aPicture('navy')
  const photo = await aPicture('teal')
  const letter = await submit(pipeline, scan, photo)
  const refused = await submit(pipeline, Buffer.from(`${canary} is no picture`), photo)
  await pipeline.reached(letter.key, 'PENDING')
  await pipeline.reached(refused.key, 'REJECTED')
  await despatch(pipeline, letter.key)
  await callBack(pool)
  await annotate(pool, letter.key)

  // a process that died after it stored the file and before it named it
  const orphan = fileKey(sha256Of(await aPicture('olive')))
  await pipeline.objects.put(orphan, await aPicture('olive'), 'image/jpeg')

  const before = await columnsWith(pool, canary)
  expect(before).toEqual(expect.arrayContaining(personalColumns))
  const { rows } = await pool.query<{ sha256: string }>(
    `select encode(document_sha256, 'hex') as sha256 from print_job where document_sha256 is not null`,
  )
  const keys = [
    ...[letter, refused].map(({ uploadId }) => uploadKey(uploadId)),
    ...[scan, photo].map((bytes) => fileKey(sha256Of(bytes))),
    orphan,
    ...rows.map(({ sha256 }) => `documents/${sha256}.pdf`),
  ]
  expect(await present(pipeline.objects, keys)).toEqual(keys)
  expect((await objectsWith(pipeline.objects, canary)).length).toBeGreaterThanOrEqual(4)

  const registry = new Registry()
  const effects = {
    db,
    objects: pipeline.objects,
    registry,
    now: () => new Date(Date.now() + 91 * 24 * 60 * 60 * 1000),
  }
  const remover = createRemover(effects)
  const pass = createPurge({ ...effects, remover, log, deploymentDays: 90 })
  while ((await pass()) === 'again');
  await findOrphan(pipeline, orphan)
  while ((await remover.pass()) === 'again');

  expect(await columnsWith(pool, canary)).toEqual([])
  expect(await columnsWith(queue.pool, canary)).toEqual([])
  expect(await present(pipeline.objects, keys)).toEqual([])
  expect(await objectsWith(pipeline.objects, canary)).toEqual([])
  const text = lines.join('\n')
  expect(text).toContain('print-jobs.purged')
  expect(text.includes(canary)).toBe(false)
  const { rows: kept } = await pool.query(
    'select status, comment, purged_at is not null as purged from print_job order by status',
  )
  expect(kept).toEqual([
    { status: 'DESPATCHED', comment: null, purged: true },
    {
      status: 'REJECTED',
      purged: true,
      comment: 'A file is a PDF, GIF, PNG, JPEG, TIFF or BMP by its first bytes.',
    },
  ])
  await queue.close()
  await pipeline.close()
})

async function submit({ consumer, database, objects }: TestPipeline, scan: Buffer, photo: Buffer) {
  const [uploadId, sha256] = [randomUUID(), sha256Of(photo)]
  const { consumerId } = consumer
  await insertUpload(database.db, { id: uploadId, consumerId, expiresInSeconds: 600, openMax: 100 })
  await objects.put(uploadKey(uploadId), scan, 'application/octet-stream')
  await objects.put(fileKey(sha256), photo, 'image/jpeg')
  const submission = aSubmission(consumer, {
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      businessIdentifier: `case-${canary}`,
      recipientName: `Ms ${canary}`,
      address: { unstructuredAddress: { line1: `1 ${canary} Road`, postcode: 'AB1 2CD' } },
      handlingInstruction: { line1: `${canary} by hand` },
    },
    customParams: [
      { key: `about-${canary}`, value: `${canary} owes nothing` },
      { key: `photo-${canary}`, value: photo.toString('base64') },
    ],
    callbackParams: { retryParams: { enabled: true } },
    unknownMembers: [`${canary}Name`],
    callbackDestinationSealed: Buffer.from(`https://example.com/${canary}`).toString('hex'),
    callbackOrigin: 'https://example.com',
    files: [
      { fileId: `scan-${canary}`, source: 'upload', uploadId },
      {
        fileId: `photo-${canary}`,
        source: 'custom-param',
        sha256,
        bytes: photo.length,
        mediaType: 'image/jpeg',
      },
    ],
  })
  expect(await saveSubmissions(database.pool, [submission])).toMatchObject([{ kind: 'saved' }])
  // only the print run that this test builds may take it
  await database.pool.query(`update print_job set route_after = now() + interval '1 day'`)
  return { key: submission.key, uploadId }
}

/** Does what a provider does, as far as the print job and the run show it. */
async function despatch({ database: { db, pool } }: TestPipeline, key: string): Promise<void> {
  const properties = [
    { key: 'trackingNumber', value: 'T1' },
    { key: 'receivedBy', value: canary },
  ]
  await db.transaction().execute(async (tx) => {
    await movePrintJobs(tx, [{ key }], 'produce', { actor: 'north' })
    const fulfilment = { despatchProperties: properties }
    const options = { actor: 'north', reason: `taken by ${canary}` }
    await movePrintJobs(tx, [{ key, fulfilment, comment: `for ${canary}` }], 'despatch', options)
  })
  await pool.query(
    `with run as (
       insert into print_run (batch_number, provider_id, print_location, despatch_method, stationery, plex, colour, state)
       values ('R1', 'north', 'NORTH', 'SECOND', 'A4-PLAIN', 'duplex', true, 'CLOSED')
     )
     insert into print_run_document (batch_number, document_id, print_job_key, sha256, bytes, pages, sheets,
       despatch_properties)
     select 'R1', 'D' || document_number, key, document_sha256, document_bytes, document_pages, document_sheets, $2
     from print_job where key = $1`,
    [key, JSON.stringify(properties)],
  )
}

/** Delivers all callbacks, to a receiver that repeats personal information in its response. */
async function callBack(pool: Database['pool']): Promise<void> {
  await pool.query(
    `with called as (
       update callback set state = 'DELIVERED', due_at = null, ended_at = now(), attempts = 1 returning id
     )
     insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status,
       address, answer)
     select id, 1, now(), now(), 5, 'delivered', 200, '192.0.2.1', $1 from called`,
    [Buffer.from(`thank you for ${canary}`)],
  )
}

/** Adds free text of a provider and of operators. */
async function annotate(pool: Database['pool'], key: string): Promise<void> {
  await pool.query(
    `with document as (select * from print_run_document where print_job_key = $1), event as (
       insert into print_run_event (provider_id, event_id, event_hash, batch_number, document_id, attempt, type, result,
         occurred_at, reason_code, reason, despatch_properties)
       select 'north', 'E1', '', batch_number, document_id, 1, 'SPOILED', 'APPLIED', now(), 'JAM', $2, despatch_properties
       from document
     )
     insert into reprint (batch_number, document_id, attempt, state, reason_code, reason, requested_by, decided_at,
       decided_by, decision_reason)
     select batch_number, document_id, 2, 'AUTHORISED', 'JAM', $2, (select id from consumer limit 1), now(), 'operator', $2
     from document`,
    [key, `tore on ${canary}`],
  )
  await pool.query(
    `update print_job set held_at = now(), held_by = 'operator', hold_reason = $2, address_overridden_at = now(),
       address_override = jsonb_build_object('recipientName', $2::text, 'address', standard_params -> 'address')
     where key = $1`,
    [key, `ask ${canary}`],
  )
}

/** Walks over the bucket as if it contained only this test's objects, a few days later. */
async function findOrphan({ database, objects }: TestPipeline, orphan: string): Promise<void> {
  const walkOn = createOrphanWalk({
    db: database.db,
    registry: new Registry(),
    objects: {
      listWithTimes: async (prefix) => {
        const found = orphan.startsWith(prefix) ? await objects.head(orphan) : undefined
        return found ? [{ key: orphan, bytes: found.bytes, changedAt: found.changedAt }] : []
      },
    },
    now: () => new Date(Date.now() + 3 * 24 * 60 * 60 * 1000),
  })
  // the pipeline has begun its own walk
  await database.pool.query('update orphan_walk set started_at = null, lease_until = null')
  while ((await walkOn()) === 'again');
}

/** Returns the columns of all tables that contain the text, as text or as bytes. */
async function columnsWith(pool: Database['pool'], text: string): Promise<string[]> {
  const { rows } = await pool.query<{ schema: string; table: string; column: string }>(
    `select table_schema as schema, table_name as table, column_name as column from information_schema.columns
     where table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const found: string[] = []
  for (const { schema, table, column } of rows) {
    const hexadecimal = Buffer.from(text).toString('hex')
    const base64 = Buffer.from(text).toString('base64').slice(0, -4)
    const { rows: hits } = await pool.query(
      `select from "${schema}"."${table}" where "${column}"::text ilike any ($1) limit 1`,
      [[text, hexadecimal, base64].map((part) => `%${part}%`)],
    )
    if (hits.length > 0) found.push(`${schema === 'public' ? '' : `${schema}.`}${table}.${column}`)
  }
  return found.toSorted()
}

async function present(objects: ObjectStore, keys: readonly string[]): Promise<string[]> {
  const heads = await Promise.all(keys.map((key) => objects.head(key)))
  return keys.filter((_, index) => heads[index])
}

/** Returns the objects that contain the text. All tests share the bucket, but the canary is unique to this one. */
async function objectsWith(objects: ObjectStore, text: string): Promise<string[]> {
  const found: string[] = []
  for (const prefix of ['uploads/', 'files/', 'documents/']) {
    const keys = await objects.list(prefix, { keysMax: 10_000 })
    for (let from = 0; from < keys.length; from += 20) {
      await Promise.all(
        keys.slice(from, from + 20).map(async (key) => {
          const object = await objects.getStream(key)
          if (object && (await buffer(object.stream)).includes(text)) found.push(key)
        }),
      )
    }
  }
  return found
}
