import { hash } from 'node:crypto'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { eventually } from '@despatch/testing/eventually'
import {
  aSubmission,
  insertConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { takeQueueBackendsByEffort } from '@despatch/testing/queue-backends'
import { useUpChecks } from '@despatch/testing/use-up-checks'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aPipeline, type TestPipeline } from './a-pipeline.ts'

const queueBackends = await takeQueueBackendsByEffort('redis')

const sha256 = (bytes: Uint8Array) => hash('sha256', bytes)
const aPicture = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: 'navy' } })
    .png()
    .toBuffer()

/** A picture whose pixels do not match their checksum. */
function damaged(png: Buffer): Buffer {
  const changed = Buffer.from(png)
  const at = changed.indexOf('IDAT') + 10
  changed[at] = changed[at]! ^ 0xff
  return changed
}

describe.each(queueBackends)('the pipeline with queues on $name', ({ url }) => {
  let pipeline: TestPipeline

  beforeAll(async () => {
    await prepareQueues(url)
    pipeline = await aPipeline(url)
    await pipeline.start()
  })
  afterAll(() => pipeline.close())

  const read = (key: string) =>
    pipeline.database.db
      .selectFrom('print_job')
      .selectAll()
      .where('key', '=', key)
      .executeTakeFirstOrThrow()

  const eventsOf = async (key: string) =>
    (
      await pipeline.database.db
        .selectFrom('print_job_event')
        .select('transition')
        .where('print_job_key', '=', key)
        .orderBy('sequence')
        .execute()
    ).map(({ transition }) => transition)

  test('takes a letter without files from QUARANTINE to PENDING and stores its document', async () => {
    const key = await pipeline.submit()

    await pipeline.reached(key, 'PENDING')

    const job = await read(key)
    const hash = job.document_sha256!.toString('hex')
    const document = await eventually(
      () => pipeline.objects.get(`documents/${hash}.pdf`, { bytesMax: 1_000_000 }),
      { message: 'the document is in the object store' },
    )
    expect(sha256(document.bytes)).toBe(hash)
    expect(Buffer.from(document.bytes.subarray(0, 5)).toString()).toBe('%PDF-')
    expect(job).toMatchObject({
      document_bytes: document.bytes.length,
      document_pages: 1,
      document_sheets: 1,
      document_number: expect.any(Number),
      printable_address: { recipientLine1: 'Ms A Person', postcode: 'AB1 2CD' },
    })
    expect(await eventsOf(key)).toEqual(['submit', 'release', 'accept'])
  })

  test('pins an upload under its hash and prints it', async () => {
    const picture = await aPicture()

    const key = await pipeline.submitUpload(picture)
    await pipeline.reached(key, 'PENDING')

    const pinned = await pipeline.objects.get(`files/${sha256(picture)}`, { bytesMax: 1_000_000 })
    expect(sha256(pinned!.bytes)).toBe(sha256(picture))
    expect((await read(key)).document_pages).toBe(2)
  })

  test('stores a pinned file again if its bytes were removed in the meantime', async () => {
    const picture = await aPicture()
    const { pool } = pipeline.database
    await pool.query(
      `insert into doomed_object (kind, sha256, cause, is_due, is_barred)
       values ('file', decode($1, 'hex'), 'purged', false, true)`,
      [sha256(picture)],
    )

    const key = await pipeline.submitUpload(picture)
    await pipeline.reached(key, 'PENDING')

    expect((await read(key)).step_failures).toBe(0)
    expect(await pipeline.objects.head(`files/${sha256(picture)}`)).toBeDefined()
    expect((await pool.query('select from doomed_object')).rows).toEqual([])
  })

  test('rejects a file of no allowed kind, with a comment', async () => {
    const key = await pipeline.submitUpload(Buffer.from('just text'))

    await pipeline.reached(key, 'REJECTED')

    expect((await read(key)).comment).toMatch(/not a PDF, GIF, PNG, JPEG, TIFF or BMP/)
  })

  test('records all findings in the timeline, and the first one in the comment', async () => {
    const standardParams = { ...someStandardParams, recipientName: 'Ms \u{1f600}' }
    const files = await Promise.all(
      [damaged(await aPicture()), await aPicture()].map(async (bytes, index) => ({
        fileId: `photo-${index}`,
        source: 'upload' as const,
        uploadId: await pipeline.anUpload(bytes),
      })),
    )
    const key = await pipeline.submit({ standardParams, files })

    await pipeline.reached(key, 'REJECTED')

    const { comment } = await read(key)
    const [event] = await pipeline.database.db
      .selectFrom('print_job_event')
      .select(['reason', 'findings'])
      .where('print_job_key', '=', key)
      .where('transition', '=', 'reject')
      .execute()
    expect(event).toMatchObject({
      reason: comment,
      findings: [
        { rule: 'image-damaged', severity: 'refusal', fileId: 'photo-0', detail: comment },
        { rule: 'address-character', severity: 'refusal' },
      ],
    })
    expect(JSON.stringify(event)).not.toContain('Ms')
  })

  test('letters with files wait if their consumer has used up its check time, and other letters do not', async () => {
    const { pool } = pipeline.database
    const hostile = await insertConsumer(pipeline.database.db)
    await useUpChecks({ pool, queueUrl: url }, hostile.consumerId, 1_800)
    const picture = await aPicture()
    const uploadId = await pipeline.anUpload(picture, hostile)

    const files = [{ fileId: 'scan', source: 'upload', uploadId }] as const
    const waits = await pipeline.submit({ files }, hostile)
    const isWithout = await pipeline.submit({}, hostile)
    const another = await pipeline.submitUpload(picture)
    const laterOf = () =>
      pipeline.database.db
        .selectFrom('letter_later')
        .select('due_at as dueAt')
        .where('subject', '=', waits)
        .executeTakeFirst()
    const later = await eventually(laterOf, { message: 'the letter waits' })

    const secondsLeft = (later.dueAt.getTime() - Date.now()) / 1_000
    expect(secondsLeft).toBeLessThanOrEqual(3_600)
    await pipeline.reached(isWithout, 'PENDING')
    await pipeline.reached(another, 'PENDING')
    expect(await read(waits)).toMatchObject({ status: 'VALIDATING', step_failures: 0 })
  })

  test('the sweep finds a letter whose worker died', async () => {
    const submission = aSubmission(pipeline.consumer)
    const client = await pipeline.database.pool.connect()
    // together, because the scheduler would offer a letter that waits
    await client.query('begin')
    await saveSubmissions(client as never, [submission])
    await client.query(
      `with lost as (delete from letter_waiting where subject = $1 returning *)
       insert into letter_batch (lane, queue, is_first, due_at, consumer_ids, subjects, leased_until, versions)
       select lane, 'letters', false, now(), array[consumer_id], array[subject], to_timestamp(0), array[version] from lost`,
      [submission.key],
    )
    await client.query('commit')
    client.release()

    await pipeline.reached(submission.key, 'PENDING')
  })

  test('a fault of ours rejects no letter, and its step is retried', async () => {
    const picture = await aPicture()
    const key = await pipeline.submit({
      files: [
        {
          fileId: 'scan',
          source: 'custom-param',
          sha256: sha256(picture),
          bytes: 1,
          mediaType: 'image/png',
        },
      ],
    })
    await pipeline.objects.put(`files/${sha256(picture)}`, picture, 'image/png')

    await eventually(async () => (await read(key)).step_failures > 0, {
      message: 'the step has failed once',
    })
    await pipeline.database.db
      .updateTable('print_job_file')
      .set({ bytes: picture.length })
      .where('print_job_key', '=', key)
      .execute()

    await pipeline.reached(key, 'PENDING')
  })
})
