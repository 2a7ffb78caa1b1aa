import { londonDateOf } from '@despatch/domain/calendar/london'
import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { insertProvider } from '@despatch/store/access/consumers'
import { holdPrintJob, releasePrintJob } from '@despatch/store/print-job/hold'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { saveAcknowledgement } from '@despatch/store/print-run/acknowledge'
import { findFrozenManifest } from '@despatch/store/print-run/manifest'
import { reassignDocuments } from '@despatch/store/print-run/reassign'
import { listRoutableSites } from '@despatch/store/provider/routing'
import { answerRecall } from '@despatch/store/recall/answer'
import { recallDocuments } from '@despatch/store/recall/request'
import { saveReprintRequests } from '@despatch/store/reprint/reprints'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { byEffort } from '@despatch/testing/effort'
import { releaseDuePrintRuns } from '@despatch/testing/gather-and-release'
import { aSubmission } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { foldCounts } from '../src/upkeep/fold-counts.ts'

const database = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(database.url))
const { db, pool } = runs
const actor = 'operator:ann'
const anHour = { runAgeMs: 3_600_000 }
const limits: Record<string, number> = { north: 4, south: 3 }
for (const [id, documentsPerDayMax] of Object.entries(limits)) {
  await insertProvider(db, { id, name: id, printLocations: [`${id} 1`] })
  await pool.query(
    `update print_site set reprints_free_max = 1000, enabled = true, capabilities = $2 where provider_id = $1`,
    [id, JSON.stringify({ ...unrestrictedCapabilities, documentsPerDayMax })],
  )
}

const letADayPass = () => pool.query('update print_run_document set routed_on = routed_on - 1')

/** Leaves no letter, open run or place of today from before. */
async function beginAgain(): Promise<void> {
  await pool.query('update print_site set enabled = true, share = 100')
  await pool.query(`update print_job set route_after = 'infinity' where batch_number is null`)
  await runs.gather()
  await letADayPass()
}
beforeEach(beginAgain)

/** The number of documents of each provider today, as routing reads it. */
async function countsToday(): Promise<Record<string, number>> {
  const sites = await listRoutableSites(db, new Date())
  return Object.fromEntries(sites.map(({ providerId, routedToday }) => [providerId, routedToday]))
}

/** Counts the letters that each provider got today and is going to print or has printed. */
async function recount(): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ id: string; documents: number }>(
    `select provider.id, count(job.key)::integer as documents
     from provider
     left join (print_run_document document
       join print_run run on run.batch_number = document.batch_number and run.state <> 'VOIDED'
       join print_job job on job.key = document.print_job_key and job.deleted_at is null
         and job.status in ('PENDING', 'PRODUCTION', 'DESPATCHED')
         and (job.status <> 'PENDING' or job.batch_number = document.batch_number))
       on run.provider_id = provider.id and document.removed_at is null and document.routed_on = $1
     group by provider.id`,
    [londonDateOf(new Date())],
  )
  return Object.fromEntries(rows.map(({ id, documents }) => [id, documents]))
}

async function listWrong() {
  const { rows } = await pool.query(
    `select * from count_difference where what in ('routed', 'document')`,
  )
  return rows
}

async function aLetter(): Promise<string> {
  const submission = aSubmission(runs.consumer)
  await saveSubmissions(pool, [submission])
  await runs.accept([submission.key])
  return submission.key
}

const act = <Result>(work: Parameters<ReturnType<typeof db.transaction>['execute']>[0]) =>
  db.transaction().execute(work) as Promise<Result>

type Document = {
  key: string
  batchNumber: string
  documentId: string
  provider: string
  state: string
}

/** Lists the documents that are in a run of the letters. */
async function listDocuments(keys: readonly string[]): Promise<Document[]> {
  const { rows } = await pool.query<Document>(
    `select print_job_key as key, batch_number as "batchNumber", document_id as "documentId", provider_id as provider,
       state
     from print_run_document join print_run using (batch_number)
     where removed_at is null and print_run_document.voided_at is null and print_job_key = any ($1::uuid[]) order by document_id`,
    [keys],
  )
  return rows
}

async function acknowledge({ provider, batchNumber, documentId }: Document, refusal?: string) {
  const ref = { providerId: provider, batchNumber }
  const manifest = await findFrozenManifest(db, ref)
  if (!manifest) return
  const { documentCount, sheetCount, manifestDigest } = manifest
  const refusals = [{ documentId, comment: 'smudged' }]
  const counts = { documentCount, sheetCount, manifestDigest, refusals: refusal ? [] : refusals }
  await saveAcknowledgement(db, {
    ...ref,
    requestHash: Buffer.alloc(32),
    ...counts,
    ...(refusal && { refusal }),
  })
}

async function move(batchNumber: string, providerId: string): Promise<void> {
  const to = { providerId, printLocation: `${providerId} 1`, reason: 'fire', nothingPrinted: true }
  const moved = await db
    .transaction()
    .execute(async (tx) => {
      const outcome = await reassignDocuments(tx, { ...to, batchNumber, actor })
      if (outcome.kind !== 'moved') throw new Error(outcome.kind)
      return outcome
    })
    .catch((error: Error) => error.message)
  if (typeof moved === 'string') expect(['not-movable', 'empty', 'asked-back']).toContain(moved)
}

async function recall({ batchNumber, documentId, provider }: Document): Promise<void> {
  const asked = { batchNumber, documentIds: [documentId], reason: 'wrong', actor }
  const outcome = await db.transaction().execute((tx) => recallDocuments(tx, asked))
  if (outcome.kind !== 'asked') return
  const { recallId } = outcome
  await answerRecall(db, {
    providerId: provider,
    recallId,
    answerHash: Buffer.alloc(32),
    tooLate: [],
  })
}

async function reprint({ batchNumber, documentId, provider }: Document): Promise<void> {
  await pool.query(
    `update print_run_document set progress = 'SPOILED'
     where batch_number = $1 and document_id = $2 and outcome is null`,
    [batchNumber, documentId],
  )
  const documents = [{ documentId, reasonCode: 'JAM' }]
  const requestedBy = runs.consumer.consumerId
  await saveReprintRequests(db, { providerId: provider, batchNumber, requestedBy, documents })
}

/** What may happen next. `pick` chooses the letter or the document. */
const steps = {
  submit: async (keys: string[]) => void keys.push(await aLetter()),
  gather: () => runs.gather(anHour),
  release: () => runs.gather(),
  hold: (keys: string[], pick: number) =>
    onLetter(keys, pick, (key) => act((tx) => holdPrintJob(tx, { key }, { actor }))),
  unhold: (keys: string[], pick: number) =>
    onLetter(keys, pick, (key) => act((tx) => releasePrintJob(tx, { key }, { actor }))),
  delete: (keys: string[], pick: number) =>
    onLetter(keys, pick, async (key) => {
      const { rows } = await pool.query('select id from print_job where key = $1', [key])
      await runs.deleteJob(rows[0].id)
    }),
  claim: (keys: string[], pick: number) =>
    onDocument(keys, pick, ({ provider, batchNumber }) => runs.claim(provider, batchNumber)),
  refuseOne: (keys: string[], pick: number) =>
    onDocument(keys, pick, (document) => acknowledge(document)),
  refuseAll: (keys: string[], pick: number) =>
    onDocument(keys, pick, (document) => acknowledge(document, 'fire')),
  recall: (keys: string[], pick: number) => onDocument(keys, pick, recall),
  reassign: (keys: string[], pick: number) =>
    onDocument(keys, pick, ({ batchNumber, provider }) =>
      move(batchNumber, pick % 3 === 0 || provider === 'south' ? 'north' : 'south'),
    ),
  reprint: (keys: string[], pick: number) => onDocument(keys, pick, reprint),
  reroute: async () => {
    await pool.query(`update print_site set enabled = false where provider_id = 'north'`)
    await runs.gather(anHour)
    await pool.query(`update print_site set enabled = true`)
  },
  fold: () => foldCounts(db, { changesMax: 3 }),
  day: () => letADayPass(),
}

async function onLetter(
  keys: readonly string[],
  pick: number,
  work: (key: string) => Promise<unknown>,
): Promise<void> {
  if (keys.length > 0) await work(keys[pick % keys.length]!)
}

async function onDocument(
  keys: readonly string[],
  pick: number,
  work: (document: Document) => Promise<unknown>,
): Promise<void> {
  const documents = await listDocuments(keys)
  if (documents.length > 0) await work(documents[pick % documents.length]!)
}

test('after any steps, the documents of today equal those of a recount', async () => {
  const name = fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[]))
  const often = fc.constantFrom(
    'submit' as const,
    'gather' as const,
    'release' as const,
    'claim' as const,
  )
  const step = fc.tuple(fc.oneof(name, often), fc.nat({ max: 100 }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (chosen) => {
      await beginAgain()
      const keys = [await aLetter(), await aLetter(), await aLetter()]
      for (const [next, pick] of chosen) {
        const before = await countsToday()
        await steps[next](keys, pick)
        const after = await countsToday()
        expect([next, after]).toEqual([next, await recount()])
        expect([next, await listWrong()]).toEqual([next, []])
        for (const [id, max] of Object.entries(limits)) {
          // only an operator's move exceeds a limit
          if (next !== 'reassign') expect(after[id]).toBeLessThanOrEqual(Math.max(max, before[id]!))
        }
      }
    }),
    { numRuns: byEffort({ landing: 4, full: 60 }) },
  )
}, 600_000)

test('a letter that is repeatedly held and released uses up one place of the day', async () => {
  const key = await aLetter()
  for (let times = 0; times < 10; times++) {
    await runs.gather(anHour)
    await act((tx) => holdPrintJob(tx, { key }, { actor }))
    await act((tx) => releasePrintJob(tx, { key }, { actor }))
  }
  expect(await countsToday()).toEqual({ north: 0, south: 0 })
  const other = await aLetter()

  await runs.gather(anHour)

  expect((await listDocuments([key, other])).map((document) => document.key)).toEqual([key, other])
})

test('a reassigned document counts at the new site, and a refused document nowhere', async () => {
  const keys = [await aLetter(), await aLetter(), await aLetter()]
  await pool.query(`update print_site set share = 0 where provider_id = 'south'`)
  await runs.gather()
  const [one] = await listDocuments(keys)
  expect(await countsToday()).toEqual({ north: 3, south: 0 })

  await move(one!.batchNumber, 'south')
  expect(await countsToday()).toEqual({ north: 0, south: 3 })

  const [moved] = await listDocuments(keys)
  await runs.claim('south', moved!.batchNumber)
  await acknowledge(moved!)
  expect(await countsToday()).toEqual({ north: 0, south: 2 })

  const [, left] = await listDocuments(keys)
  await reprint(left!)
  expect(await countsToday()).toEqual({ north: 0, south: 2 })
})

test('a recalled document releases its place of the day', async () => {
  const keys = [await aLetter(), await aLetter()]
  await pool.query(`update print_site set share = 0 where provider_id = 'south'`)
  await runs.gather()
  const [one] = await listDocuments(keys)
  await runs.claim('north', one!.batchNumber)
  expect(await countsToday()).toEqual({ north: 2, south: 0 })

  await recall(one!)

  expect(await countsToday()).toEqual({ north: 1, south: 0 })
})

test('a run gathered before midnight counts on that day, even if it is released later', async () => {
  await pool.query(`update print_site set share = 0 where provider_id = 'south'`)
  const [early, held, late] = [await aLetter(), await aLetter(), await aLetter()]
  await runs.gather(anHour)
  expect(await countsToday()).toEqual({ north: 3, south: 0 })
  await letADayPass()
  expect(await countsToday()).toEqual({ north: 0, south: 0 })

  // a letter of yesterday takes no place of today's, and gives none back
  await act((tx) => holdPrintJob(tx, { key: held }, { actor }))
  await pool.query('update print_run set release_asked_at = now() where state = $1', ['OPEN'])
  await runs.gather(anHour)
  await releaseDuePrintRuns(db)
  expect((await listDocuments([early, held, late])).map(({ state }) => state)).toEqual([
    'RELEASED',
    'RELEASED',
  ])
  expect(await countsToday()).toEqual({ north: 0, south: 0 })

  await act((tx) => releasePrintJob(tx, { key: held }, { actor }))
  await runs.gather(anHour)
  expect(await countsToday()).toEqual({ north: 1, south: 0 })
})

test('a document that returns to its run after midnight uses a place of the new day', async () => {
  await pool.query(`update print_site set share = 0 where provider_id = 'south'`)
  const [key, other] = [await aLetter(), await aLetter()]
  await runs.gather(anHour)
  await letADayPass()
  await act((tx) => holdPrintJob(tx, { key }, { actor }))
  await act((tx) => releasePrintJob(tx, { key }, { actor }))

  await runs.gather(anHour)

  const documents = await listDocuments([key, other])
  expect(new Set(documents.map(({ batchNumber }) => batchNumber)).size).toBe(1)
  expect(await countsToday()).toEqual({ north: 1, south: 0 })
})
