import { hash, randomUUID } from 'node:crypto'
import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { storeDocumentsOfRun, storeDueDocuments } from '@despatch/letters/store-documents'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import type { Database } from '@despatch/store/database'
import { findProofSourceByKey } from '@despatch/store/print-job/proof'
import {
  insertUnstoredDocuments,
  isAnyDocumentDue,
  type NewUnstoredDocument,
} from '@despatch/store/print-job/unstored-documents'
import { releasePrintRun } from '@despatch/store/print-run/release'
import { eventually } from '@despatch/testing/eventually'
import { isTrue } from '@despatch/testing/is-true'
import { aMade } from '@despatch/testing/make-pending'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { takeLetters } from '@despatch/testing/take-letters'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { runLetter } from '../src/print-job/run-letter.ts'
import type { Effects } from '../src/print-job/stage.ts'
import { createGathering } from '../src/print-run/gather.ts'
import { releaseNextPrintRun } from '../src/print-run/release.ts'
import { aPipeline } from './a-pipeline.ts'
import { aPrintFloor } from './a-print-floor.ts'
import { accepted, aWorker } from './a-worker.ts'
import { endedPrintJobs } from './ended-print-jobs.ts'

const queueBackends = await takeQueueBackends()
const { objectStore } = inject('infra')

const sha256Of = (content: string) => hash('sha256', content)
const listUnstored = async ({ pool }: Pick<Database, 'pool'>) => {
  const { rows } = await pool.query<{ sha256: string }>(
    `select encode(sha256, 'hex') as sha256 from unstored_document order by since`,
  )
  return rows.map(({ sha256 }) => sha256)
}
const keep = (
  { db }: Pick<Database, 'db'>,
  content: string,
  more: Pick<NewUnstoredDocument, 'beginning'> = {},
) =>
  db.transaction().execute(async (tx) => {
    const sha256 = sha256Of(content)
    const pdf = Buffer.from(content)
    await insertUnstoredDocuments(tx, [{ sha256, pdf, ...more }])
    return sha256
  })

describe.each(queueBackends)('with queues on $name', ({ url }) => {
  test('a letter without files is PENDING while the object store is unavailable, and can be read', async () => {
    await prepareQueues(url)
    const store = await startTcpProxy({ port: Number(new URL(objectStore.endpoint).port) })
    onTestFinished(store.close)
    const pipeline = await aPipeline(url, () => ({
      S3_ENDPOINT: store.through(objectStore.endpoint),
    }))
    onTestFinished(pipeline.close)
    const service = await pipeline.start()
    store.refuse()
    const isAway = async () => {
      const { values } = await service.metrics!.getSingleMetric('dependency_up')!.get()
      return values.some(({ labels, value }) => labels.dependency === 'object-store' && value === 0)
    }
    await eventually(isAway, { message: 'the object store is away' })
    const key = await pipeline.submit()
    await pipeline.reached(key, 'PENDING')

    const source = await findProofSourceByKey(pipeline.database.db, key)
    const { sha256, bytes } = source!.document!
    expect(hash('sha256', source!.unstoredPdf!)).toBe(sha256)
    expect(source!.unstoredPdf).toHaveLength(bytes)
    store.resume()
    const isStored = async () => (await listUnstored(pipeline.database)).length === 0
    await eventually(isStored, { message: 'the document is stored' })
    expect(await pipeline.objects.head(documentKey(sha256))).toMatchObject({ bytes })
    expect(await findProofSourceByKey(pipeline.database.db, key)).toMatchObject({
      unstoredPdf: null,
    })
  })
})

async function someDocuments() {
  const pipeline = await aPipeline()
  onTestFinished(pipeline.close)
  const { database } = pipeline
  const put: string[] = []
  const objects = { put: async (key: string) => void put.push(key) }
  return { pipeline, database, put, context: { db: database.db, objects } }
}

test('there is work while a document is due', async () => {
  const { pipeline, database } = await someDocuments()
  expect(await isTrue(database.db, isAnyDocumentDue)).toBe(false)

  await keep(database, 'young')
  expect(await isTrue(database.db, isAnyDocumentDue)).toBe(true)

  await pipeline.submit()
  expect(await isTrue(database.db, isAnyDocumentDue)).toBe(false)
})

test('while letters wait, old documents are stored page by page with pauses', async () => {
  const { pipeline, database, put, context } = await someDocuments()
  const contents = Array.from({ length: 65 }, (_, number) => `old ${number}`)
  for (const content of contents) await keep(database, content)
  await database.pool.query(`update unstored_document set since = now() - interval '61 s'`)
  await pipeline.submit()

  expect(await storeDueDocuments(context)).toBe('idle')
  expect(put).toHaveLength(64)

  await database.pool.query('delete from letter_waiting')
  await keep(database, 'young')
  expect(await storeDueDocuments(context)).toBe('idle')
  expect(put).toHaveLength(66)
})

test('the beginning that many documents share is kept once, and each document is stored complete', async () => {
  const { database, context } = await someDocuments()
  const stored = new Map<string, string>()
  const put = async (key: string, bytes: Uint8Array) =>
    void stored.set(key, Buffer.from(bytes).toString())
  const beginning = { sha256: sha256Of('the typeface, '), bytes: 'the typeface, '.length }
  const contents = ['the typeface, one', 'the typeface, two', 'another typeface']

  for (const content of contents) {
    const isShared = content.startsWith('the typeface, ')
    await keep(database, content, { ...(isShared && { beginning }) })
  }

  const { rows } = await database.pool.query('select bytes from document_beginning')
  expect(rows).toEqual([{ bytes: Buffer.from('the typeface, ') }])
  await storeDueDocuments({ ...context, objects: { put } })
  expect(stored).toEqual(
    new Map(contents.map((content) => [documentKey(sha256Of(content)), content])),
  )
})

test('a document that cannot be stored stays in the database, and does not prevent storing others', async () => {
  const { database, context } = await someDocuments()
  const [kept] = [await keep(database, 'kept'), await keep(database, 'stored')]
  const put = async (key: string) => {
    if (key === documentKey(kept)) throw new DependencyUnavailable('object-store')
  }

  await expect(storeDueDocuments({ ...context, objects: { put } })).rejects.toThrow('unavailable')

  expect(await listUnstored(database)).toEqual([kept])
})

test('the request to store a document is aborted when its time ends', async () => {
  const { database, context } = await someDocuments()
  await keep(database, 'kept')
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = Promise.withResolvers<AbortSignal>()
  const put: ObjectStore['put'] = async (_key, _bytes, _type, { signal } = {}) => {
    asked.resolve(signal!)
    await new Promise(() => {})
  }

  const storing = storeDueDocuments({ ...context, objects: { put } }).catch((error) => error)
  const signal = await asked.promise
  await vi.advanceTimersByTimeAsync(7_000)

  expect(await storing).toBeInstanceOf(DependencyUnavailable)
  expect(signal.aborted).toBe(true)
})

test('two transactions with the same documents do not deadlock', async () => {
  const { database } = await someDocuments()
  const contents = Array.from({ length: 200 }, (_, number) => `document ${number}`)
  const documents = contents.map((content) => ({
    sha256: sha256Of(content),
    pdf: Buffer.from(content),
  }))
  const insert = (some: typeof documents) =>
    database.db.transaction().execute((tx) => insertUnstoredDocuments(tx, some))

  for (let round = 0; round < 10; round++) {
    await database.pool.query('delete from unstored_document')
    await Promise.all([insert(documents), insert(documents.toReversed())])
  }

  expect(await listUnstored(database)).toHaveLength(contents.length)
})

test('two processes store different documents', async () => {
  const { database, put, context } = await someDocuments()
  const sha256 = await keep(database, 'once')
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const slow = async (key: string) => {
    put.push(key)
    begun.resolve()
    await end.promise
  }
  const first = storeDueDocuments({ ...context, objects: { put: slow } })
  await begun.promise

  await storeDueDocuments(context)
  end.resolve()
  await first

  expect(put).toEqual([documentKey(sha256)])
  expect(await listUnstored(database)).toEqual([])
})

test('a print run is released once its documents are in the object store', async () => {
  const floor = await aPrintFloor()
  onTestFinished(floor.close)
  await floor.addProvider('north')
  const sha256 = await keep(floor.database, 'a letter')
  // of two letters with equal documents, whichever is gathered needs it
  await floor.addPending({ documentSha256: sha256 })
  const { db } = floor.database
  await createGathering({ db, runAgeMs: 0, documentsMax: 10 })()
  const other = await keep(floor.database, 'of no run')
  const away = async () => {
    throw new DependencyUnavailable('object-store')
  }

  await expect(releaseNextPrintRun({ db, objects: { put: away } })).rejects.toThrow('unavailable')
  const { rows: runs } = await floor.database.pool.query<{ batch: string }>(
    'update print_run set release_lease_until = null returning batch_number as batch',
  )
  const run = { batchNumber: runs[0]!.batch, failures: 0 }
  expect(await releasePrintRun(db, run, { leaseSeconds: 60, msMax: 1_000 })).toBe('unfinished')
  expect(await floor.listRuns()).toMatchObject([{ state: 'OPEN' }])
  await floor.database.pool.query('update print_run set release_lease_until = null')
  const put: string[] = []
  await releaseNextPrintRun({ db, objects: { put: async (key) => void put.push(key) } })

  expect(put).toEqual([documentKey(sha256)])
  expect(await floor.listRuns()).toMatchObject([{ state: 'RELEASED', documents: 1 }])
  expect(await listUnstored(floor.database)).toEqual([other])
})

test('no statement can release a run whose documents are not in the object store', async () => {
  const floor = await aPrintFloor()
  onTestFinished(floor.close)
  await floor.addProvider('north')
  const sha256 = await keep(floor.database, 'a letter')
  await floor.addPending({ documentSha256: sha256 })
  await createGathering({ db: floor.database.db, runAgeMs: 0, documentsMax: 10 })()
  const release = () => floor.database.pool.query(`update print_run set state = 'RELEASED'`)

  await expect(release()).rejects.toMatchObject({ code: 'DS002' })
  await floor.database.pool.query('delete from unstored_document')
  await release()

  expect(await floor.listRuns()).toMatchObject([{ state: 'RELEASED' }])
})

test('the documents of a run are stored page by page until the time limit', async () => {
  const floor = await aPrintFloor()
  onTestFinished(floor.close)
  await floor.addProvider('north')
  const contents = Array.from({ length: 150 }, (_, number) => `letter ${number}`)
  const documents = await Promise.all(contents.map((content) => keep(floor.database, content)))
  await floor.addPending(...documents.map((documentSha256) => ({ documentSha256 })))
  const { db, pool } = floor.database
  await createGathering({ db, runAgeMs: 0, documentsMax: 1_000 })()
  const { rows } = await pool.query<{ batch: string }>(
    'select batch_number as batch from print_run',
  )
  const put: string[] = []
  const context = { db, objects: { put: async (key: string) => void put.push(key) } }

  expect(await storeDocumentsOfRun(context, rows[0]!.batch, 0)).toBe(false)
  expect(await storeDocumentsOfRun(context, rows[0]!.batch, 60_000)).toBe(true)

  expect(put.toSorted()).toEqual(documents.map(documentKey).toSorted())
  expect(await listUnstored(floor.database)).toEqual([])
})

test('a document whose bytes were once removed from the object store is stored at once', async () => {
  const { pipeline, database, put, context } = await someDocuments()
  const key = await pipeline.submit()
  const content = randomUUID()
  const sha256 = sha256Of(content)
  await database.pool.query(
    `insert into doomed_object (kind, sha256, cause, is_due, is_barred)
     values ('document', decode($1, 'hex'), 'purged', false, true)`,
    [sha256],
  )
  const validate = async () => ({
    ...accepted,
    puts: [{ key: documentKey(sha256), bytes: Buffer.from(content), contentType: 'text/plain' }],
    made: { ...aMade, documentSha256: sha256 },
  })
  const effects = { objects: context.objects } as unknown as Effects
  const [step] = await takeLetters(database.db, [key])

  const outcome = await runLetter(
    aWorker(database.db, { validate, context: { effects } }),
    step!,
    AbortSignal.any([]),
  )

  expect(outcome).toBe('advance')
  expect(put).toEqual([documentKey(sha256)])
  const { rows } = await database.pool.query('select from doomed_object')
  expect(rows).toEqual([])
})

test('the purge of a letter also removes its document from the database', async () => {
  const ended = await endedPrintJobs()
  onTestFinished(ended.close)
  const content = randomUUID()
  await ended.anEnded({ content })
  await keep(ended, content)
  const other = await keep(ended, 'of a letter that stays')
  const { pass } = ended.aPurge()

  await pass()

  expect(await listUnstored(ended)).toEqual([other])
  expect(await ended.objects.head(documentKey(sha256Of(content)))).toBeUndefined()
})
