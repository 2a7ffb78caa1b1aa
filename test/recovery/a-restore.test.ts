import { randomUUID } from 'node:crypto'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startObjectStore } from '@despatch/embedded/object-store'
import { documentKey, uploadKey } from '@despatch/object-store/keys'
import { openObjectStore } from '@despatch/object-store/object-store'
import { openDatabase } from '@despatch/store/database'
import { oldestUnstoredSeconds } from '@despatch/store/print-job/unstored-documents'
import { eventually } from '@despatch/testing/eventually'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import { aCaller, signedIn } from '../stack/a-caller.ts'
import { aConsumer, type Consumer } from '../stack/a-consumer.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import {
  type ArchivedPostgres,
  restorePostgres,
  startArchivedPostgres,
} from '../stack/archived-postgres.ts'
import { type Ended, runCommand } from '../stack/despatch-command.ts'
import { type Credentials, makeDirectory, startDespatch } from '../stack/start-despatch.ts'

/** PostgreSQL logs sequence numbers in advance. This exceeds that number, so that some are issued a second time. */
const printedAfterMax = 40
const bucket = 'despatch'
const quick = {
  DESPATCH_PRINT_RUN_AGE_MS: '200',
  DESPATCH_SIMULATOR: 'on',
  DESPATCH_SIMULATOR_FLOOR: '{"pollIntervalMs":100,"printTimeMs":0}',
  DESPATCH_SWEEP_INTERVAL_MS: '200',
  DESPATCH_SCAN_PAUSE_SECONDS: '1',
}
/** Without a scanner, letters with files stay in quarantine. */
const withoutScanner = { CLAMAV_URL: 'tcp://127.0.0.1:9' }
const reason = 'the restore is practised'

type Item = { severity: string; kind: string; about: Record<string, string | number> }

test('after a database is restored to an earlier time, missing data is named, and no letter is printed twice', async () => {
  await using parts = new AsyncDisposableStack()
  const { path: directory } = parts.use(await makeDirectory())
  const data = join(directory, 'despatch')
  const postgres = await startArchivedPostgres(directory)
  parts.defer(postgres.stop)
  const s3 = join(directory, 's3')
  const objects = await startObjectStore({ directory: s3, bucket, durable: false })
  parts.defer(objects.stop)
  const environment = {
    S3_ENDPOINT: objects.endpoint,
    S3_REGION: objects.region,
    S3_BUCKET: objects.bucket,
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
    ...quick,
  }
  await mkdir(data)

  // given: letters before the moment of the restore, and some that are accepted or printed after it
  const before = parts.use(
    await startDespatch(data, { ...environment, ...withoutScanner, DATABASE_URL: postgres.url }),
  )
  const { moment, ...letters } = await sendLetters(before.credentials, postgres)
  await before.stop()
  await postgres.stop()
  await cp(join(directory, 's3/objects'), join(directory, 'copy'), { recursive: true })

  // when: the database is restored to that moment, and part of the bucket is lost
  const restored = await restorePostgres(directory, moment)
  parts.defer(restored.stop)
  const stores = { ...environment, DATABASE_URL: restored.url }
  const store = openObjectStore(objects)
  parts.defer(() => store.close())
  const { despatched, heldBack, inQuarantine, acceptedAfter, printedLater } = letters
  const withoutDocument = [despatched[0]!, heldBack[0]!].toSorted()
  const lost = [
    ...(await documentsOf(restored.url, withoutDocument)).map(documentKey),
    uploadKey(letters.uploadId),
  ]
  for (const key of lost) await store.remove(key)
  const accepted = join(directory, 'accepted.txt')
  await writeFile(accepted, acceptedLines(letters, before.credentials.consumer))
  const printLog = join(data, 'provider-simulator/print-log.ndjson')
  const reconcile = async (...more: string[]) => {
    const given = ['--print-log', printLog, '--accepted', accepted, '--json', ...more]
    return readItems(await runCommand(data, ['doctor', '--reconcile', ...given], '', stores))
  }

  // then: every letter and every document that is missing is reported
  const found = await reconcile()
  expect(found.code).toBe(1)
  expectAllReported(found.items, letters, withoutDocument)

  // and when: the operator follows the advice for each item
  const guarded = await reconcile('--hold-printed', 'printed before the restore')
  expect(idsOf(guarded.items, 'letter-held')).toEqual(printedLater.toSorted())
  expect(countOf(guarded.items, 'numbers-advanced')).toBe(1)
  for (const key of lost) {
    const kept = await readFile(join(directory, 'copy', bucket, `${key}._S3rver_object`))
    await store.put(key, kept, 'application/pdf')
  }
  await using after = await startDespatch(data, stores)
  await operate(after.credentials, 'queues/letters/resume')
  const sameConsumer = await aConsumer(after.credentials.baseUrl, after.credentials.consumer)
  await releaseAll(after.credentials, keysOf(guarded.items, 'letter-held'))
  for (const id of heldBack) await sameConsumer.call('POST', `jobs/${id}/release`)
  for (const id of acceptedAfter) await sameConsumer.submit({ id, ...aSmallLetter })

  // then: every letter is despatched, and each was printed once
  const rest = [despatched, printedLater, heldBack, inQuarantine, acceptedAfter].flat()
  await reachAll(sameConsumer, rest, 'DESPATCHED')
  const printed = await readLines(printLog)
  const documents = printed.map(({ documentId }) => documentId)
  expect(documents).toHaveLength(rest.length + printedAfterMax)
  expect(new Set(documents).size).toBe(documents.length)
})

const held = { sendControl: { hold: true } }

type Letters = Omit<Awaited<ReturnType<typeof sendLetters>>, 'moment'>

/** Sends letters before the moment of the restore, and some that are accepted or printed after it. */
async function sendLetters(credentials: Credentials, postgres: ArchivedPostgres) {
  const consumer = await aConsumer(credentials.baseUrl, credentials.consumer)
  const despatched = await submitMany(consumer, 2)
  await reachAll(consumer, despatched, 'DESPATCHED')
  await postgres.backUp()
  const printedLater = await submitMany(consumer, 3, held)
  const heldBack = await submitMany(consumer, 2, held)
  await reachAll(consumer, [...printedLater, ...heldBack], 'PENDING')
  const uploadId = await consumer.upload(await aPdf())
  // no worker has had this letter at that moment
  await operate(credentials, 'queues/letters/pause')
  const inQuarantine = await submitMany(consumer, 1, {
    fileParams: [{ fileId: 'enclosure', uploadId }],
  })

  await allStored(postgres.url)
  const moment = await postgres.now()

  await operate(credentials, 'queues/letters/resume')
  for (const id of printedLater) await consumer.call('POST', `jobs/${id}/release`)
  const printedAfter = await submitMany(consumer, printedAfterMax)
  const acceptedAfter = await submitMany(consumer, 2, held)
  await reachAll(consumer, [...printedLater, ...printedAfter], 'DESPATCHED')
  await reachAll(consumer, acceptedAfter, 'PENDING')
  await postgres.archive()
  return {
    moment,
    uploadId,
    despatched,
    printedLater,
    heldBack,
    inQuarantine,
    printedAfter,
    acceptedAfter,
  }
}

/** Returns the lines that name every letter that the consumer had accepted. */
function acceptedLines({ uploadId: _, ...letters }: Letters, { userName }: { userName: string }) {
  return Object.values(letters)
    .flat()
    .map((id) => `${userName} ${id}\n`)
    .join('')
}

/** Checks that every letter and every document that is missing is reported, and nothing else. */
function expectAllReported(items: readonly Item[], letters: Letters, withoutDocument: string[]) {
  const { printedLater, inQuarantine, printedAfter, acceptedAfter } = letters
  expect(idsOf(items, 'printed-unclaimed')).toEqual(printedLater.toSorted())
  expect(countOf(items, 'printed-unknown')).toBe(printedAfterMax)
  expect(countOf(items, 'numbers-behind')).toBe(1)
  expect(idsOf(items, 'document-missing')).toEqual(withoutDocument)
  expect(idsOf(items, 'upload-missing')).toEqual(inQuarantine)
  expect(idsOf(items, 'letter-lost')).toEqual([...printedAfter, ...acceptedAfter].toSorted())
  const named = [
    'printed-unclaimed',
    'printed-unknown',
    'numbers-behind',
    'document-missing',
    'upload-missing',
    'letter-lost',
  ]
  const others = items.filter(({ severity }) => severity === 'missing')
  expect(others.filter(({ kind }) => !named.includes(kind))).toEqual([])
}

/** Releases the letters, as an operator does with `jobs release`. */
async function releaseAll(
  credentials: Credentials,
  keys: readonly (string | number)[],
): Promise<void> {
  for (const key of keys) await operate(credentials, `print-jobs/${key}/release`)
}

/** Carries out an operator's action, and throws unless it succeeds. */
async function operate({ baseUrl, opsUrl, operator }: Credentials, path: string): Promise<void> {
  const call = aCaller(`${opsUrl}/administration/v1/`, await signedIn(baseUrl, operator))
  const { status } = await call('POST', path, { reason })
  if (status !== 200) throw new Error(`${path} was answered ${status}`)
}

async function submitMany(consumer: Consumer, count: number, more: object = {}): Promise<string[]> {
  const submit = () => consumer.submit({ id: randomUUID(), ...aSmallLetter, ...more })
  return Promise.all(Array.from({ length: count }, submit))
}

async function reachAll(consumer: Consumer, ids: readonly string[], status: string) {
  for (const id of ids) await consumer.reached(id, status)
}

async function aPdf(): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create()
  document.addPage([595, 842])
  return new Uint8Array(await document.save())
}

/** Returns the hashes of the print jobs' documents. */
/** Waits until the object store has all documents. One that it does not have is in the backup, and not missing. */
async function allStored(databaseUrl: string): Promise<void> {
  const { db, close } = openDatabase(databaseUrl, { name: 'test', connectionsMax: 1 })
  const isStored = async () => (await oldestUnstoredSeconds(db)) === 0
  await eventually(isStored, { message: 'all documents are stored' }).finally(close)
}

async function documentsOf(databaseUrl: string, ids: readonly string[]): Promise<string[]> {
  const { db, close } = openDatabase(databaseUrl, { name: 'test', connectionsMax: 1 })
  const rows = await db
    .selectFrom('print_job')
    .select('document_sha256')
    .where('id', 'in', ids)
    .execute()
    .finally(close)
  return rows.map(({ document_sha256 }) => document_sha256!.toString('hex'))
}

function readItems({ code, stdout, stderr }: Ended): { code: number | null; items: Item[] } {
  if (stderr !== '') throw new Error(stderr)
  return { code, items: JSON.parse(stdout).items }
}

function idsOf(items: readonly Item[], kind: string): (string | number)[] {
  return ofKind(items, kind)
    .map(({ about }) => about.printJobId!)
    .sort()
}

function keysOf(items: readonly Item[], kind: string): (string | number)[] {
  return ofKind(items, kind).map(({ about }) => about.printJobKey!)
}

function countOf(items: readonly Item[], kind: string): number {
  return ofKind(items, kind).length
}

function ofKind(items: readonly Item[], kind: string): Item[] {
  return items.filter((item) => item.kind === kind)
}

async function readLines(path: string): Promise<{ documentId: string; attempt: number }[]> {
  const text = await readFile(path, 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
