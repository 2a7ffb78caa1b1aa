import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { estimateWeightGrams } from '@despatch/domain/print-run/weight'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { byEffort } from '@despatch/testing/effort'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { beside } from '@despatch/testing/waits-or-ends'
import { describe, expect, test } from 'vitest'
import { insertProvider } from '../src/access/consumers.ts'
import type { Tx } from '../src/database.ts'
import { movePrintJobs } from '../src/print-job/print-jobs.ts'
import { findPrintRunDetails } from '../src/print-run/details.ts'
import { findFrozenManifest, listManifestDocuments } from '../src/print-run/manifest.ts'
import {
  countReassignable,
  type MoveOutcome,
  type PrintRunReassignment,
  reassignDocuments,
} from '../src/print-run/reassign.ts'
import { answerRecall } from '../src/recall/answer.ts'
import { recallDocuments } from '../src/recall/request.ts'

const clone = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(clone.url))
const { db, pool, claim } = runs

await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
await insertProvider(db, { id: 'south', name: 'South', printLocations: ['SOUTH', 'OFF', 'MONO'] })
await pool.query(`update print_site set share = 0 where provider_id = 'south'`)
await pool.query(`update print_site set enabled = false where print_location = 'OFF'`)
const mono = JSON.stringify({ ...unrestrictedCapabilities, colour: false })
await pool.query(`update print_site set capabilities = $1 where print_location = 'MONO'`, [mono])

const inTransaction = <Result>(work: (tx: Tx) => Promise<Result>) => db.transaction().execute(work)

const toSouth = {
  providerId: 'south',
  printLocation: 'SOUTH',
  reason: 'the factory burned down',
  nothingPrinted: true,
  actor: 'consumer:operator',
}

const move = (batchNumber: string, detail: Partial<PrintRunReassignment> = {}) =>
  inTransaction((tx) => reassignDocuments(tx, { ...toSouth, batchNumber, ...detail }))

function movedRun(outcome: MoveOutcome) {
  if (outcome.kind !== 'moved') throw new Error(`It was not moved: ${outcome.kind}`)
  return outcome.run
}

async function documentsOf(batchNumber: string) {
  const { rows } = await pool.query(
    `select document_id as "documentId", sequence, first_attempt as "firstAttempt", attempt,
       fulfilment_job_id as "fulfilmentJobId", removed_at is not null as "isRemoved", voided_at is not null as "isVoided", outcome
     from print_run_document where batch_number = $1 order by sequence`,
    [batchNumber],
  )
  return rows
}

async function jobsOf(keys: readonly string[]) {
  const { rows } = await pool.query(
    `select status, batch_number as "batchNumber", print_location as "printLocation", comment
     from print_job where key = any ($1::uuid[]) order by batch_number, status`,
    [keys],
  )
  return rows
}

async function timelineOf(key: string) {
  const { rows } = await pool.query(
    `select transition, status, reason from print_job_event where print_job_key = $1 order by sequence`,
    [key],
  )
  return rows.slice(3)
}

describe('an unclaimed run', () => {
  test('is weighed again by the paper and envelopes of its new site', async () => {
    const setEnvelope = (location: string, grams: number) => {
      const materials = { envelopes: [{ name: 'C5', grams, sheetsMax: 5 }] }
      return pool.query(`update print_site set capabilities = $2 where print_location = $1`, [
        location,
        JSON.stringify({ ...unrestrictedCapabilities, materials }),
      ])
    }
    const weightIn = async (providerId: string, batchNumber: string) => {
      await claim(providerId, batchNumber)
      const manifest = await findFrozenManifest(db, { providerId, batchNumber })
      return estimateWeightGrams(1, manifest!)
    }
    await setEnvelope('NORTH', 6)
    await setEnvelope('SOUTH', 50)
    const { batchNumber: stays } = await runs.aReleasedRun(1)
    const { batchNumber: goes } = await runs.aReleasedRun(1)

    const { batchNumber: moved } = movedRun(await move(goes))

    expect(await weightIn('north', stays)).toBe(10.99)
    expect(await weightIn('south', moved)).toBe(54.99)
  })

  test('gets another number with the same attempts, and its print jobs stay PENDING', async () => {
    const { batchNumber: from, keys, ids } = await runs.aReleasedRun(3)
    const before = await documentsOf(from)
    await runs.deleteJob(ids[0]!)

    const run = movedRun(await move(from, { nothingPrinted: false }))

    const to = run.batchNumber
    const left = (await documentsOf(from)).filter(({ sequence }) => sequence !== null)
    const gone = left.filter(({ isRemoved, isVoided }) => isRemoved && !isVoided)
    expect([left.length, gone.length]).toEqual([3, 3])
    expect(run).toEqual({
      batchNumber: to,
      movedFrom: from,
      providerId: 'south',
      printLocation: 'SOUTH',
      printEpoch: 1,
      documentCount: 2,
    })
    const after = await documentsOf(to)
    expect(after).toHaveLength(2)
    for (const document of after) {
      const same = before.find(({ documentId }) => documentId === document.documentId)
      const fulfilmentJobId = same.fulfilmentJobId.replace(from, to)
      expect(document).toEqual({ ...same, fulfilmentJobId })
    }
    expect(await findPrintRunDetails(db, from)).toMatchObject({
      state: 'CLOSED',
      closedBy: 'consumer:operator',
      movedTo: to,
      documentCount: 0,
    })
    expect(await findPrintRunDetails(db, to)).toMatchObject({
      state: 'RELEASED',
      movedFrom: from,
      movedTo: null,
      documentCount: 2,
      sheetCount: 2,
    })
    expect(await jobsOf(keys.slice(1))).toEqual([
      { status: 'PENDING', batchNumber: to, printLocation: null, comment: null },
      { status: 'PENDING', batchNumber: to, printLocation: null, comment: null },
    ])
    expect(await timelineOf(keys[1]!)).toEqual([
      {
        transition: 'move-run',
        status: 'PENDING',
        reason: `from ${from} to ${to}: the factory burned down`,
      },
    ])
    expect(await claim('north', from)).toEqual({ kind: 'empty' })
    expect(await runs.deleteJob(ids[1]!)).toBe('deleted')
    expect(await claim('south', to)).toMatchObject({ kind: 'claimed' })
    expect(await jobsOf(keys.slice(2))).toEqual([
      { status: 'PRODUCTION', batchNumber: to, printLocation: 'SOUTH', comment: null },
    ])
  })

  test('that is still open is released first', async () => {
    const { batchNumber } = await runs.anOpenRun(2)

    const run = movedRun(await move(batchNumber, { nothingPrinted: false }))

    expect((await documentsOf(run.batchNumber)).map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(await claim('south', run.batchNumber)).toMatchObject({ kind: 'claimed' })
  })

  test('that is still open waits for a concurrent deletion, and leaves out the deleted letter', async () => {
    const { batchNumber, keys } = await runs.anOpenRun(2)
    const statement = 'update print_job set deleted_at = now() where key = $1'

    const { first, result } = await beside(
      pool,
      { statement, values: [keys[0]] },
      () => move(batchNumber, { nothingPrinted: false }),
      (query) => query('update print_run_document set removed_at = now() where print_job_key = $1'),
    )

    expect(first).toBe('waits')
    const run = movedRun(result)
    const { rows } = await pool.query(
      'select print_job_key as key from print_run_document where batch_number = $1',
      [run.batchNumber],
    )
    expect(rows).toEqual([{ key: keys[1] }])
  })
})

describe('a claimed run without an acknowledgement', () => {
  test('is voided, and its documents are claimed at the other site with a higher epoch and attempt', async () => {
    const { batchNumber: from, keys, ids } = await runs.aReleasedRun(2)
    const first = await claim('north', from)

    const run = movedRun(await move(from))
    const to = run.batchNumber
    const between = await jobsOf(keys)
    const second = await claim('south', to)

    expect(run).toMatchObject({ printEpoch: 2, documentCount: 2 })
    expect(await findPrintRunDetails(db, from)).toMatchObject({
      state: 'VOIDED',
      voidReason: 'the factory burned down',
      leaseUntil: null,
      movedTo: to,
      account: { expected: 2, moved: 2, missing: 0 },
    })
    expect(between.map(({ status, batchNumber }) => [status, batchNumber])).toEqual([
      ['PRODUCTION', from],
      ['PRODUCTION', from],
    ])
    expect(second).toMatchObject({ kind: 'claimed' })
    expect(await findPrintRunDetails(db, to)).toMatchObject({ state: 'CLAIMED', printEpoch: 2 })
    const [old, fresh] = [await documentsOf(from), await documentsOf(to)]
    expect(old.every(({ isVoided, isRemoved }) => isVoided && !isRemoved)).toBe(true)
    expect(fresh).toEqual(
      old.map((document) => ({
        ...document,
        fulfilmentJobId: document.fulfilmentJobId.replace(from, to),
        firstAttempt: 2,
        attempt: 2,
        isVoided: false,
      })),
    )
    const manifest = await listManifestDocuments(db, to, { after: 0, documentsMax: 10 })
    expect(manifest.map(({ attempt }) => attempt)).toEqual([2, 2])
    expect(await jobsOf(keys)).toEqual([
      { status: 'PRODUCTION', batchNumber: to, printLocation: 'SOUTH', comment: null },
      { status: 'PRODUCTION', batchNumber: to, printLocation: 'SOUTH', comment: null },
    ])
    expect((await timelineOf(keys[0]!)).map(({ transition }) => transition)).toEqual([
      'produce',
      'move-run',
    ])
    expect(await runs.deleteJob(ids[0]!)).toBe('not-pending')

    // a repeat of the previous provider returns the same bytes and has no effect
    expect(await claim('north', from)).toEqual(first)
    expect(await claim('north', from, { claimKey: 'another key' })).toEqual({ kind: 'moved' })
    expect(await runs.acknowledge('north', from)).not.toMatchObject({ kind: 'acknowledged' })
    expect(await runs.acknowledge('south', to)).toMatchObject({ kind: 'acknowledged' })
  })

  test('leaves out documents that are not in PRODUCTION when the other provider claims it', async () => {
    const { batchNumber: from, keys } = await runs.aReleasedRun(2)
    await claim('north', from)
    const { batchNumber: to } = movedRun(await move(from))
    await inTransaction((tx) => movePrintJobs(tx, [{ key: keys[0]! }], 'reject', { actor: 'test' }))

    await claim('south', to)

    expect(await findPrintRunDetails(db, to)).toMatchObject({ state: 'CLAIMED', documentCount: 1 })
  })

  test('can be reassigned again before it is claimed, without another epoch', async () => {
    const { batchNumber: first } = await runs.aReleasedRun(1)
    await claim('north', first)
    const second = movedRun(await move(first))

    const back = { providerId: 'north', printLocation: 'NORTH', nothingPrinted: false }
    const third = movedRun(await move(second.batchNumber, back))

    expect(third).toMatchObject({ printEpoch: 2, documentCount: 1 })
    expect(await claim('north', third.batchNumber)).toMatchObject({ kind: 'claimed' })
    expect(await documentsOf(third.batchNumber)).toMatchObject([{ attempt: 2, firstAttempt: 2 }])
  })

  test.each(byEffort({ landing: [1_000], full: [5_000] }))(
    'of %i documents is reassigned completely',
    async (documentCount) => {
      const { batchNumber: from } = await runs.aReleasedRun(documentCount)
      await claim('north', from)

      const run = movedRun(await move(from))
      const claimed = await claim('south', run.batchNumber)

      expect(run.documentCount).toBe(documentCount)
      expect(claimed).toMatchObject({ kind: 'claimed' })
      expect(await findPrintRunDetails(db, run.batchNumber)).toMatchObject({
        state: 'CLAIMED',
        documentCount,
        account: { expected: documentCount, missing: documentCount },
      })
    },
  )

  test('rejects the print jobs of recalls that its provider has not answered', async () => {
    const { batchNumber: from, keys } = await runs.aReleasedRun(2)
    await claim('north', from)
    const [first] = await documentsOf(from)
    const documentIds = [first.documentId]
    const asked = { batchNumber: from, documentIds, reason: 'wrong fee', actor: 'test' }
    await inTransaction((tx) => recallDocuments(tx, asked))

    const run = movedRun(await move(from))

    expect(run.documentCount).toBe(1)
    expect(await findPrintRunDetails(db, from)).toMatchObject({
      account: { expected: 2, recalled: 1, moved: 1, missing: 0 },
    })
    expect((await jobsOf(keys)).map(({ status, comment }) => [status, comment])).toEqual([
      ['PRODUCTION', null],
      ['REJECTED', 'Recalled: wrong fee'],
    ])
    const { rows } = await pool.query(`select state from recall_request where batch_number = $1`, [
      from,
    ])
    expect(rows).toEqual([{ state: 'ACCEPTED' }])
  })

  test('also moves documents that were too late to recall, and an operator can recall them again', async () => {
    const { batchNumber: from, documentIds } = await runs.aReleasedRun(2)
    await claim('north', from)
    const [first] = documentIds
    const again = { batchNumber: from, documentIds: [first!], reason: 'wrong fee', actor: 'test' }
    await recallTooLate(again)
    const asked = await inTransaction((tx) => recallDocuments(tx, again))
    expect(asked).toMatchObject({ kind: 'asked', documentCount: 1 })
    await answerTooLate((asked as { recallId: string }).recallId)

    expect(await countReassignable(db, from)).toEqual({ kind: 'counted', documentCount: 2 })
    expect(movedRun(await move(from, { expectedCount: 2 })).documentCount).toBe(2)
  })
})

const answerTooLate = (recallId: string) =>
  answerRecall(db, {
    providerId: 'north',
    recallId,
    tooLate: 'all',
    answerHash: Buffer.alloc(32),
  })

async function recallTooLate(choice: Parameters<typeof recallDocuments>[1]): Promise<void> {
  const asked = await inTransaction((tx) => recallDocuments(tx, choice))
  if (asked.kind !== 'asked') throw new Error(`Its provider was not asked: ${asked.kind}`)
  expect(await answerTooLate(asked.recallId)).toMatchObject({ recall: { state: 'REJECTED' } })
}

describe('a run is not reassigned', () => {
  test.for<[what: string, detail: Partial<PrintRunReassignment>, kind: string]>([
    ['to a site that is not there', { printLocation: 'EAST' }, 'site-absent'],
    ['to a site of another provider', { providerId: 'north' }, 'site-absent'],
    ['to a site that is off', { printLocation: 'OFF' }, 'site-disabled'],
    ['to a site that cannot print it', { printLocation: 'MONO' }, 'site-unable'],
    ['without the word that nothing is printed', { nothingPrinted: false }, 'not-certified'],
  ])('%s', async ([, detail, kind]) => {
    const { batchNumber } = await runs.aReleasedRun(1)
    await claim('north', batchNumber)

    expect(await move(batchNumber, detail)).toMatchObject({ kind })
    expect(await findPrintRunDetails(db, batchNumber)).toMatchObject({ state: 'CLAIMED' })
  })

  test('after its provider has acknowledged it', async () => {
    const { batchNumber } = await runs.aReleasedRun(1)
    await claim('north', batchNumber)
    await runs.acknowledge('north', batchNumber)

    expect(await move(batchNumber)).toMatchObject({ kind: 'not-movable' })
  })

  test('twice', async () => {
    const { batchNumber } = await runs.aReleasedRun(1)
    await claim('north', batchNumber)
    await move(batchNumber)

    expect(await move(batchNumber)).toMatchObject({ kind: 'not-movable' })
  })

  test('without remaining documents', async () => {
    const { batchNumber, ids } = await runs.aReleasedRun(1)
    await runs.deleteJob(ids[0]!)

    expect(await move(batchNumber)).toEqual({ kind: 'empty' })
    expect(await move('R1')).toEqual({ kind: 'absent' })
  })
})

test('a run that its provider refused completely is reassigned', async () => {
  const { batchNumber, keys } = await runs.aReleasedRun(1)
  await claim('north', batchNumber)
  await pool.query(
    `update print_run set state = 'REFUSED', refusal = 'no toner', acknowledged_at = now(),
       acknowledgement_hash = '', refused_count = 0, lease_until = null where batch_number = $1`,
    [batchNumber],
  )

  const run = movedRun(await move(batchNumber))
  await claim('south', run.batchNumber)

  expect(await findPrintRunDetails(db, batchNumber)).toMatchObject({ state: 'VOIDED' })
  expect(await jobsOf(keys)).toMatchObject([{ status: 'PRODUCTION', batchNumber: run.batchNumber }])
})

describe('of concurrent changes', () => {
  test('a claim and a reassignment leave the documents in one of the runs', async () => {
    for (let round = 0; round < 10; round++) {
      const { batchNumber } = await runs.aReleasedRun(3)

      const [claimed, moved] = await Promise.all([
        claim('north', batchNumber),
        move(batchNumber, { nothingPrinted: false }),
      ])

      const live = (await documentsOf(batchNumber)).filter(({ isRemoved }) => !isRemoved).length
      const outcome = [claimed.kind, moved.kind, live]
      expect([
        ['claimed', 'not-certified', 3],
        ['empty', 'moved', 0],
      ]).toContainEqual(outcome)
    }
  })

  test('deletions and a reassignment leave deleted documents in no run, and the others in one', async () => {
    for (let round = 0; round < 5; round++) {
      const { batchNumber, ids } = await runs.aReleasedRun(20)

      const [moved, ...deleted] = await Promise.all([
        move(batchNumber, { nothingPrinted: false }),
        ...ids.slice(0, 10).map((id) => runs.deleteJob(id)),
      ])

      expect(new Set(deleted)).toEqual(new Set(['deleted']))
      const { batchNumber: to } = movedRun(moved)
      const live = (await documentsOf(to)).filter(({ isRemoved }) => !isRemoved)
      expect(live).toHaveLength(10)
      await claim('south', to)
      expect(await findPrintRunDetails(db, to)).toMatchObject({ documentCount: 10 })
    }
  })
})
