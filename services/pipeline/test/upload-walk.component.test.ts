import { randomUUID } from 'node:crypto'
import { evidenceKey, uploadKey } from '@despatch/object-store/keys'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { createSweep, type SweepFinding } from '../src/work/sweep.ts'
import { aPipeline } from './a-pipeline.ts'
import { nothingAway } from './nothing-away.ts'

const bytesMax = 1_000
const limit = { DESPATCH_UPLOAD_BYTES_MAX: String(bytesMax) }

const large = new Uint8Array(bytesMax + 1)

const pipeline = await shared(aPipeline(undefined, limit))
const { database, objects } = pipeline
const isThere = async (id: string) => Boolean(await objects.head(uploadKey(id)))

/** A sweep whose store lists only the objects of the given ids, because other tests write into the same bucket. */
function aSweep(ids: readonly string[], now?: () => Date) {
  const found: Partial<Record<SweepFinding, number>> = {}
  const listWithTimes: typeof objects.listWithTimes = async (prefix, options) => {
    const pages = ids.toSorted().map((id) => objects.listWithTimes(prefix + id, options))
    return (await Promise.all(pages)).flat()
  }
  const pass = createSweep({
    db: database.db,
    objects: { removeTogether: objects.removeTogether, listWithTimes },
    uploadBytesMax: bytesMax,
    outages: { ...nothingAway, watches: [] },
    nudgeScheduler: () => {},
    ...(now && { now }),
    onFound: (what, count) => {
      found[what] = (found[what] ?? 0) + count
    },
  })
  return { found, pass }
}

test('an upload replaced by a larger one after its submission is refused, and deleted at once', async () => {
  const pipeline = await aPipeline(undefined, limit)
  onTestFinished(pipeline.close)
  const uploadId = await pipeline.anUpload(large)
  const key = await pipeline.submit({ files: [{ fileId: 'scan', source: 'upload', uploadId }] })

  await pipeline.start()
  await pipeline.reached(key, 'REJECTED')

  const { rows } = await pipeline.database.pool.query(
    'select comment from print_job where key = $1',
    [key],
  )
  expect(rows[0].comment).toContain('1001 bytes')
  await eventually(
    async () => ((await pipeline.objects.head(uploadKey(uploadId))) ? undefined : 'deleted'),
    { message: 'the upload is deleted' },
  )
})

test('the sweep deletes only uploads that are too large', async () => {
  const [open, small, wanted] = [
    await pipeline.anUpload(large),
    await pipeline.anUpload(large.subarray(1)),
    await pipeline.anUpload(large),
  ]
  await pipeline.submit({ files: [{ fileId: 'scan', source: 'upload', uploadId: wanted }] })
  const foreign = randomUUID()
  await objects.put(uploadKey(foreign), large, 'application/octet-stream')
  const sweep = aSweep([open, small, wanted, foreign])

  await sweep.pass()
  await sweep.pass()

  expect(await Promise.all([open, small, wanted, foreign].map(isThere))).toEqual([
    false,
    true,
    true,
    true,
  ])
  expect(sweep.found['oversized-upload']).toBe(1)
  const { rows } = await database.pool.query('select oversized_bytes from upload where id = $1', [
    open,
  ])
  expect(rows).toEqual([{ oversized_bytes: 1001 }])
})

const hourMs = 3_600_000
const ages = [
  { what: 'more than a day', ageMs: 24 * hourMs + 1, isKept: false },
  { what: 'exactly a day', ageMs: 24 * hourMs, isKept: true },
  { what: 'an hour', ageMs: hourMs, isKept: true },
]

test.each(ages)(
  'an unreferenced upload whose bytes are $what old is kept: $isKept',
  async ({ ageMs, isKept }) => {
    const [named, orphan] = [await pipeline.anUpload(large.subarray(1)), randomUUID()]
    await objects.put(uploadKey(orphan), large.subarray(1), 'application/octet-stream')
    const [listed] = await objects.listWithTimes(uploadKey(orphan), { keysMax: 1 })
    const sweep = aSweep([named, orphan], () => new Date(listed!.changedAt.getTime() + ageMs))

    await sweep.pass()
    await sweep.pass()

    expect([await isThere(named), await isThere(orphan)]).toEqual([true, isKept])
    expect(sweep.found['orphaned-upload']).toBe(isKept ? undefined : 1)
  },
)

test('an upload older than the database belongs to another database, and is kept', async () => {
  const orphan = randomUUID()
  await objects.put(uploadKey(orphan), large, 'application/octet-stream')
  await database.pool.query(`update migration set applied_at = now() + interval '1 hour'`)
  const sweep = aSweep([orphan], () => new Date(Date.now() + 48 * hourMs))

  await sweep.pass()

  expect(await isThere(orphan)).toBe(true)
})

test('the sweep never deletes evidence of a posting, of any size', async () => {
  const postingId = randomUUID()
  const key = evidenceKey(postingId, randomUUID())
  await objects.put(key, large, 'application/pdf')
  const upload = await pipeline.anUpload(large)
  const sweep = aSweep([postingId, upload])

  await sweep.pass()
  await sweep.pass()

  expect(await isThere(upload)).toBe(false)
  expect(await objects.head(key)).toMatchObject({ bytes: bytesMax + 1 })
})
