import { hash, randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documentKey } from '@despatch/object-store/keys'
import { openObjectStore } from '@despatch/object-store/object-store'
import { type Database, openDatabase } from '@despatch/store/database'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { insertUnstoredDocuments } from '@despatch/store/print-job/unstored-documents'
import { cloneDatabase } from '@despatch/testing/clone-database'
import {
  aSubmission,
  insertConsumer,
  type StoredConsumer,
} from '@despatch/testing/print-job-builders'
import { replaceObject } from '@despatch/testing/replace-object'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { reconcile } from '../src/doctor/reconcile/reconcile.ts'
import type { ReconciliationItem } from '../src/doctor/reconcile/reconciliation.ts'

const objects = openObjectStore(inject('infra').objectStore)
let database: Database
let consumer: StoredConsumer
let directory: string
const parts = new AsyncDisposableStack()
beforeAll(async () => {
  parts.defer(() => objects.close())
  const { url, drop } = await cloneDatabase()
  parts.defer(drop)
  database = openDatabase(url, { name: 'test', connectionsMax: 2 })
  parts.defer(() => database.close())
  consumer = await insertConsumer(database.db)
  directory = await mkdtemp(join(tmpdir(), 'despatch-reconcile-'))
  parts.defer(() => rm(directory, { recursive: true, force: true }))
})
afterAll(() => parts.disposeAsync())

const aNumber = () => randomInt(1_000_000, 2 ** 31)
const sha256Of = (text: string) => hash('sha256', text)

/** A letter whose document has these bytes and this number. */
async function aLetter(bytes: string, { number = aNumber(), status = 'PENDING' } = {}) {
  const submission = aSubmission(consumer)
  await saveSubmissions(database.pool, [submission])
  await database.pool.query(
    `update print_job set status = $2, document_number = $3, document_sha256 = decode($4, 'hex')
     where key = $1`,
    [submission.key, status, number, sha256Of(bytes)],
  )
  await objects.put(documentKey(sha256Of(bytes)), Buffer.from(bytes), 'application/pdf')
  return { key: submission.key, number }
}

type Printed = { number: number; bytes: string }

/** What is found of these letters, when a provider has printed this in a run that the database does not know. */
async function found(
  keys: readonly string[],
  { printed = [], ...options }: { printed?: Printed[]; readObjects?: boolean; holdReason?: string },
) {
  const printLog = join(directory, `${aNumber()}.ndjson`)
  const lines = printed.map(({ number, bytes }) => ({
    documentId: `D${number}`,
    batchNumber: 'R1',
    attempt: 1,
    sha256: sha256Of(bytes),
  }))
  await writeFile(printLog, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const items: ReconciliationItem[] = []
  const reconciling = reconcile({
    db: database.db,
    objects,
    readObjects: false,
    printLogs: printed.length > 0 ? [printLog] : [],
    accepted: undefined,
    holdReason: undefined,
    ...options,
  })
  for await (const item of reconciling) items.push(item)
  return items
    .filter(({ about }) => keys.includes(String(about.printJobKey)))
    .map(({ severity, kind }) => `${severity} ${kind}`)
}

test('a document that the database keeps until it is stored is not missing', async () => {
  const { key } = await aLetter('kept')
  const sha256 = sha256Of('kept')
  await objects.remove(documentKey(sha256))
  expect(await found([key], {})).toEqual(['missing document-missing'])

  const document = { sha256, pdf: Buffer.from('kept') }
  await database.db.transaction().execute((tx) => insertUnstoredDocuments(tx, [document]))

  expect(await found([key], { readObjects: true })).toEqual([])
})

test('an object with other bytes than its name says is found when the objects are read', async () => {
  const { key } = await aLetter('altered')
  await replaceObject(objects, documentKey(sha256Of('altered')), Buffer.from('other'))

  expect(await found([key], {})).toEqual([])
  expect(await found([key], { readObjects: true })).toEqual(['missing document-altered'])
})

test('a number under which the provider has printed other bytes: the letter is named, then held', async () => {
  const { key, number } = await aLetter('a letter of now')
  const printed = [{ number, bytes: 'a letter of before' }]

  expect(await found([key], { printed })).toEqual(['missing number-reused'])
  expect(await found([key], { printed, holdReason: 'a restore' })).toEqual(['done letter-held'])
  const { rows } = await database.pool.query('select held_by from print_job where key = $1', [key])
  expect(rows).toEqual([{ held_by: 'command-line' }])
})

test('a letter that is in production in another run than the one it was printed in is named', async () => {
  const { key, number } = await aLetter('in production', { status: 'PRODUCTION' })

  expect(await found([key], { printed: [{ number, bytes: 'in production' }] })).toEqual([
    'missing printed-elsewhere',
  ])
})

test('a letter that is checked again after a restore is found by its number, before it has a document', async () => {
  const submission = aSubmission(consumer)
  await saveSubmissions(database.pool, [submission])
  const { rows } = await database.pool.query<{ number: number }>(
    'select document_number as number from print_job where key = $1',
    [submission.key],
  )
  const printed = [{ number: rows[0]!.number, bytes: 'printed after the moment of the restore' }]

  expect(await found([submission.key], { printed })).toEqual(['missing printed-unclaimed'])
  expect(await found([submission.key], { printed, holdReason: 'a restore' })).toEqual([
    'done letter-held',
  ])
})

test('the letter of a printed document is found by its bytes when no number matches', async () => {
  const { key } = await aLetter('made again under another number')
  const printed = [{ number: aNumber(), bytes: 'made again under another number' }]

  expect(await found([key], { printed })).toEqual(['missing printed-unclaimed'])
})

test('a letter that lost its place in the waiting work is named, and one that waits is not', async () => {
  const waits = aSubmission(consumer)
  const lost = aSubmission(consumer)
  await saveSubmissions(database.pool, [waits, lost])
  await database.pool.query('delete from letter_waiting where subject = $1', [lost.key])

  expect(await found([waits.key, lost.key], {})).toEqual(['missing step-unwatched'])
  expect(await found([waits.key], {})).toEqual([])
})
