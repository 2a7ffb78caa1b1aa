import { randomUUID } from 'node:crypto'
import { createSearchHasher } from '@despatch/access/search-terms'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aProblem } from '@despatch/testing/a-problem'
import {
  aKeyAt,
  aSubmission,
  insertConsumer,
  someStandardParams,
} from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { beforeEach, describe, expect, test } from 'vitest'
import { readMatchingKeys } from '../src/bulk-action/matching-keys.ts'
import { bulkActionDigest, savePlan } from '../src/operations/plan-bulk-action.ts'
import { anAdministration, refusal } from './an-administration.ts'
import { conflict, reason, someBulkActions } from './some-bulk-actions.ts'

const dayMs = 86_400_000
const administration = await shared(
  anAdministration({ settings: { DESPATCH_BULK_SECOND_PERSON_ABOVE: '3' } }),
)
const runs = await shared(somePrintRuns(administration.url))
const bulk = someBulkActions(administration)
// Keeps the documents of one test out of the print run of the next.
beforeEach(() => runs.gather())

const operator = administration.actorOf('operator')
const admin = administration.actorOf('admin')

const hasher = createSearchHasher('ab'.repeat(32))

const sources = (searchHasher: typeof hasher | undefined = hasher) => ({
  db: administration.db,
  searchHasher: async () => searchHasher,
})
const planBy = (matching: object, others: object = {}) =>
  bulk.as('POST', '/bulk-actions', { action: 'hold', reason, matching, ...others })

/** Saves letters that a text finds, and returns their keys. */
async function lettersWith(reference: string, count: number): Promise<string[]> {
  const submissions = Array.from({ length: count }, () => {
    const standardParams = { ...someStandardParams, businessIdentifier: reference }
    const key = aKeyAt(new Date())
    const letter = { key, correlationId: key, businessIdentifier: reference, addressees: [] }
    return aSubmission(runs.consumer, { key, standardParams, searchTerms: hasher.termsOf(letter) })
  })
  await saveSubmissions(runs.pool, submissions)
  return submissions.map(({ key }) => key)
}

describe('POST /bulk-actions', () => {
  test('201: a plan has the exact count, says for each print job whether it is possible, and changes nothing', async () => {
    const { keys: claimed, ids: claimedIds } = await runs.aClaimedRun()
    const { keys, ids } = await runs.anOpenRun(2)
    const unknown = randomUUID()

    const planned = await bulk.plan([keys[1]!, unknown, claimed[0]!])

    expect(planned).toMatchObject({ status: 201 })
    expect(planned.body).toEqual({
      bulkActionId: expect.any(String),
      action: 'hold',
      reason,
      state: 'PLANNED',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      printJobCount: 3,
      needsSecondPerson: false,
      plannedBy: 'operator',
      plannedAt: expect.any(String),
      expiresAt: new Date(Date.parse(planned.body.plannedAt) + dayMs).toISOString(),
      progress: { done: 0, refused: 0, absent: 0, notBegun: 0, left: 3, failing: 0 },
      possibleCount: 1,
      items: [
        {
          printJobKey: keys[1],
          printJobId: ids[1],
          userName: expect.stringMatching(/^consumer-/),
          status: 'PENDING',
          isPossible: true,
        },
        { printJobKey: unknown, isPossible: false, whyNot: 'There is no print job of that key.' },
        {
          printJobKey: claimed[0],
          printJobId: claimedIds[0],
          userName: expect.stringMatching(/^consumer-/),
          status: 'PRODUCTION',
          isPossible: false,
          whyNot: 'A provider has claimed it.',
        },
      ],
    })
    expect((await bulk.as('GET', `/print-jobs/${keys[1]}`)).body).not.toHaveProperty('heldAt')
    expect(await bulk.recordedOf(planned.body.bulkActionId)).toEqual([
      [operator, 'bulk-action.planned'],
    ])
  })

  test('201: a plan with filters has all matching print jobs of that moment, without ended ones', async () => {
    const { consumerId } = runs.consumer
    const bulkActionId = randomUUID()
    const before = await runs.anOpenRun(2)
    const matching = { consumerId, status: 'PENDING' }

    const planned = await planBy(matching, { bulkActionId })
    const { keys } = await runs.anOpenRun(1)
    const again = await planBy(matching, { bulkActionId })
    const all = await planBy({ consumerId })

    const keysOf = ({ body }: typeof planned) =>
      body.items.map(({ printJobKey }: { printJobKey: string }) => printJobKey)
    expect([planned.status, again.status]).toEqual([201, 200])
    expect(planned.body.printJobCount).toBe(keysOf(planned).length)
    expect(keysOf(planned)).toEqual(expect.arrayContaining(before.keys))
    expect(keysOf(planned)).not.toContain(keys[0])
    expect(keysOf(again)).toEqual(keysOf(planned))
    expect(keysOf(all)).toEqual(expect.arrayContaining([...before.keys, ...keys]))
    expect(await planBy({ consumerId, status: 'DESPATCHED' })).toMatchObject(
      conflict('No print job that has not ended matches.'),
    )
  })

  test('201: a plan with a search has the print jobs found, and the audit log omits the text', async () => {
    const { ids, keys } = await runs.anOpenRun(2)

    const { body } = await planBy({ find: ids[0], statuses: ['PENDING'] })

    const matching = { statuses: ['PENDING'], hasText: true }
    expect(body).toMatchObject({ matching, items: [{ printJobKey: keys[0], isPossible: true }] })
    expect(await administration.audited(`about=${body.bulkActionId}`)).toMatchObject([
      { detail: { matching } },
    ])
  })

  test('201: a plan with a search reads all pages, without deleted print jobs', async () => {
    const reference = `bulk-${randomUUID()}`
    const [first, deleted, third] = await lettersWith(reference, 3)
    await runs.pool.query(
      `update print_job set status = 'PENDING', document_sha256 = sha256(''), deleted_at = now() where key = $1`,
      [deleted],
    )
    const read = (limits: object) =>
      readMatchingKeys(sources(), { find: reference }, { jobsMax: 1, ...limits })

    expect((await read({})).toSorted()).toEqual([first, third].toSorted())
    const tooMany = 'The text is found in too many print jobs'
    await expect(read({ pages: 1 })).rejects.toThrow(tooMany)
    await expect(read({ matchesMax: 1 })).rejects.toThrow('More than 1 print jobs match.')
  })

  test('409: the search may not have found all print jobs yet', async () => {
    const reference = `bulk-${randomUUID()}`
    const [key] = await lettersWith(reference, 2)
    await runs.db
      .updateTable('print_job')
      .set({ search_terms: null })
      .where('key', '=', key!)
      .execute()

    await expect(readMatchingKeys(sources(), { find: reference })).rejects.toThrow(
      'Some print jobs are not indexed for this search yet.',
    )
    // an id needs no index
    expect(await readMatchingKeys(sources(), { find: key! })).toEqual([key])
    await runs.pool.query(`update print_job set search_terms = '{}' where search_terms is null`)
  })

  test('a plan with too many print jobs is refused', async () => {
    const { consumerId } = runs.consumer
    await runs.anOpenRun(3)

    await expect(
      readMatchingKeys(sources(undefined), { consumerId }, { matchesMax: 2 }),
    ).rejects.toThrow('More than 2 print jobs match. Narrow the filters.')
  })

  const id = 'abcdef01-0000-4000-8000-000000000001'
  const printJobKeys = [id]
  const eitherOr = 'printJobKeys must be given if matching is not, and only then'
  test.each<[chosen: object, detail: unknown]>([
    [{}, eitherOr],
    [{ printJobKeys, matching: { only: 'held' } }, eitherOr],
    [{ printJobKeys: [id, id.toUpperCase()] }, expect.stringMatching(/twice$/)],
    [{ matching: {} }, 'matching must not be empty'],
    [{ matching: { only: 'held', consumerID: id } }, 'matching.consumerID is unknown'],
    [
      { matching: { status: 'QUARANTINE', statuses: ['PENDING'] } },
      'matching.status must not be given with statuses',
    ],
  ])('400: %o: %s', async (chosen, detail) => {
    const plan = { action: 'hold', reason, ...chosen }

    expect(await bulk.as('POST', '/bulk-actions', plan)).toMatchObject(aProblem(400, { detail }))
  })

  test('409: a repeated id has other filters, even if the same print jobs match', async () => {
    const bulkActionId = randomUUID()
    const { ids, keys } = await runs.anOpenRun()
    const matching = { find: ids[0], statuses: ['PENDING', 'QUARANTINE'] }

    const first = await planBy(matching, { bulkActionId })
    const reordered = { statuses: ['QUARANTINE', 'PENDING'], find: ids[0] }
    const again = await planBy(reordered, { bulkActionId })

    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body])
    const taken = conflict(`Another bulk action has the id ${bulkActionId}`)
    for (const other of [
      { find: keys[0], statuses: ['PENDING', 'QUARANTINE'] },
      { find: ids[0], statuses: ['PENDING'] },
      { find: ids[0] },
      { consumerId: runs.consumer.consumerId },
    ]) {
      expect(await planBy(other, { bulkActionId })).toMatchObject(taken)
    }
    expect(await bulk.plan(keys, { bulkActionId })).toMatchObject(taken)
    expect(await planBy(matching, { bulkActionId, reason: 'other' })).toMatchObject(taken)
  })

  test('200: a repeated plan stays the same while the matching print jobs change', async () => {
    const bulkActionId = randomUUID()
    const { keys } = await runs.anOpenRun(2)
    const plan = {
      id: bulkActionId,
      action: 'hold' as const,
      reason,
      plannedAt: new Date(),
      plannedBy: administration.ids.operator,
      needsSecondPerson: false,
      matching: { only: 'failing' },
      matchingHash: Buffer.from('same'),
    }

    const saved: string[] = []
    for (const printJobKeys of [keys, keys.slice(1)]) {
      const digest = bulkActionDigest('hold', printJobKeys)
      const add = () =>
        runs.db.transaction().execute((tx) => savePlan(tx, { ...plan, printJobKeys, digest }))
      saved.push(await add())
    }

    expect(saved).toEqual(['planned', 'repeated'])
    const { body } = await bulk.as('GET', `/bulk-actions/${bulkActionId}`)
    expect([body.printJobCount, body.matching]).toEqual([2, { only: 'failing' }])
  })

  test('200: a repeated id with the same plan returns that plan; 409: with another plan', async () => {
    const { keys } = await runs.anOpenRun(2)
    const bulkActionId = randomUUID()

    const first = await bulk.plan(keys, { bulkActionId })
    const again = await bulk.plan(keys, { bulkActionId: bulkActionId.toUpperCase() })

    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body).toEqual(first.body)
    for (const other of [{ action: 'cancel' }, { reason: 'other' }, { printJobKeys: [keys[0]] }]) {
      expect(await bulk.plan(keys, { bulkActionId, ...other })).toMatchObject(
        conflict(`Another bulk action has the id ${bulkActionId}`),
      )
    }
    const body = { bulkActionId, action: 'hold', reason, printJobKeys: keys }
    expect(await bulk.as('POST', '/bulk-actions', body, 'admin')).toMatchObject({ status: 409 })
  })
})

describe('POST /bulk-actions/{bulkActionId}/confirm', () => {
  test('200: each action is done in order, with actor and reason in the timeline and the audit log', async () => {
    const { keys: claimed } = await runs.aClaimedRun()
    const { keys, ids } = await runs.anOpenRun(2)
    const planned = await bulk.plan([keys[0]!, randomUUID(), claimed[0]!])
    const { bulkActionId } = planned.body

    const confirmed = await bulk.confirm(planned)
    const ended = await bulk.endOf(planned)

    expect(confirmed).toMatchObject({
      status: 200,
      body: { confirmedBy: 'operator', confirmedAt: expect.any(String) },
    })
    expect(ended).toMatchObject({
      endedAt: expect.any(String),
      progress: { done: 1, refused: 1, absent: 1, notBegun: 0, left: 0, failing: 0 },
      items: [
        { printJobKey: keys[0], printJobId: ids[0], outcome: 'done', at: expect.any(String) },
        { outcome: 'absent' },
        { printJobKey: claimed[0], outcome: 'refused', whyNot: 'A provider has claimed it.' },
      ],
    })
    const { body: held } = await bulk.as('GET', `/print-jobs/${keys[0]}`)
    expect(held).toMatchObject({ heldBy: operator })
    expect(held.events.at(-1)).toMatchObject({
      transition: 'hold',
      actor: operator,
      reason: `${reason} (bulk action ${bulkActionId})`,
    })
    expect(await bulk.recordedOf(bulkActionId)).toEqual([
      [operator, 'bulk-action.planned'],
      [operator, 'bulk-action.confirmed'],
      [operator, 'print-job.held'],
      ['administration', 'bulk-action.ended'],
    ])
  })

  test('200: a plan that is confirmed twice runs once', async () => {
    const { keys } = await runs.anOpenRun()
    const planned = await bulk.plan(keys)

    await bulk.confirm(planned)
    const ended = await bulk.endOf(planned)
    const again = await bulk.confirm(planned, 'admin')

    expect(again).toMatchObject({ status: 200, body: ended })
    expect(await administration.audited(`action=print-job.held&about=${keys[0]}`)).toHaveLength(1)
  })

  test('403: above the limit a planner cannot confirm, and the second person is named', async () => {
    const { keys } = await runs.anOpenRun(4)
    const planned = await bulk.plan(keys)
    const { bulkActionId } = planned.body

    expect(planned.body).toMatchObject({ needsSecondPerson: true })
    expect(await bulk.confirm(planned)).toMatchObject(
      refusal(
        '403 FORBIDDEN',
        'Forbidden',
        'A bulk action on 4 print jobs requires confirmation by a second person',
      ),
    )
    expect((await bulk.as('GET', `/bulk-actions/${bulkActionId}`)).body.state).toBe('PLANNED')
    expect(await bulk.confirm(planned, 'admin')).toMatchObject({ status: 200 })

    expect(await bulk.endOf(planned)).toMatchObject({ confirmedBy: 'admin', progress: { done: 4 } })
    const { body: held } = await bulk.as('GET', `/print-jobs/${keys[3]}`)
    expect(held.events.at(-1)).toMatchObject({
      actor: operator,
      reason: `${reason} (bulk action ${bulkActionId}, confirmed by ${admin})`,
    })
  })

  test('409: the count or the digest differs, and nothing is confirmed', async () => {
    const { keys } = await runs.anOpenRun()
    const planned = await bulk.plan(keys)

    for (const [other, detail] of [
      [{ printJobCount: 2 }, 'The plan has 1 print jobs, not 2.'],
      [{ digest: '0'.repeat(64) }, 'The digest belongs to other print jobs or another action.'],
    ] as const) {
      expect(await bulk.confirm(planned, 'operator', other)).toMatchObject(conflict(detail))
    }
    expect(await bulk.recordedOf(planned.body.bulkActionId)).toEqual([
      [operator, 'bulk-action.planned'],
    ])
  })

  test('409: a plan expires after 24 hours', async () => {
    const { keys } = await runs.anOpenRun()
    const planned = await bulk.plan(keys)
    const { bulkActionId } = planned.body
    const aDayAgo = `update bulk_action set planned_at = planned_at - interval '24 hours' where id = $1`
    await runs.pool.query(aDayAgo, [bulkActionId])
    const { body } = await bulk.as('GET', `/bulk-actions/${bulkActionId}`)

    expect(body).toMatchObject({ state: 'EXPIRED' })
    expect(body).not.toHaveProperty('expiresAt')
    expect(await bulk.confirm(planned)).toMatchObject(
      conflict('It was not confirmed within 24 hours. Plan it again.'),
    )
  })
})

describe('GET /bulk-actions/{bulkActionId}', () => {
  test('200: a confirmer reads the filters, the digest and every print job, page by page', async () => {
    const consumer = await insertConsumer(runs.db)
    const { consumerId } = consumer
    const submissions = Array.from({ length: 1_001 }, () => aSubmission(consumer))
    await saveSubmissions(runs.pool, submissions)
    const matching = { consumerId, status: 'QUARANTINE' }
    const planned = await planBy(matching)
    const path = `/bulk-actions/${planned.body.bulkActionId}`

    const first = await bulk.as('GET', path, undefined, 'admin')
    const next = await bulk.as('GET', `${path}?cursor=${first.body.nextCursor}`, undefined, 'admin')

    const { items, ...told } = first.body
    const counts = { printJobCount: 1_001, possibleCount: 1_001 }
    expect(told).toMatchObject({ ...counts, matching, digest: planned.body.digest })
    expect(items).toHaveLength(1_000)
    expect(next.body.nextCursor).toBeUndefined()
    const all = [...items, ...next.body.items]
    const keys = all.map(({ printJobKey }: { printJobKey: string }) => printJobKey)
    expect(keys.toSorted()).toEqual(submissions.map(({ key }) => key).toSorted())
    expect(planned.body.digest).toBe(bulkActionDigest('hold', keys))
  })

  test('200: lists the print jobs with an outcome, even while the action runs', async () => {
    const { keys } = await runs.anOpenRun(2)
    const [unknown, other] = [randomUUID(), randomUUID()]
    const planned = await bulk.plan([unknown, ...keys, other], { action: 'cancel' })
    const path = `/bulk-actions/${planned.body.bulkActionId}`
    const keysOf = async (query: string) => {
      const { body } = await bulk.as('GET', `${path}?${query}`)
      const listed = body.items.map(({ printJobKey }: { printJobKey: string }) => printJobKey)
      return [listed, body.nextCursor]
    }

    expect(await keysOf('outcome=left&limit=3')).toEqual([[unknown, ...keys], '3'])
    expect(await keysOf('outcome=done')).toEqual([[], undefined])
    await bulk.confirm(planned, 'admin')
    await bulk.endOf(planned)

    expect(await keysOf('outcome=done')).toEqual([keys, undefined])
    expect(await keysOf('outcome=absent&limit=1')).toEqual([[unknown], '1'])
    expect(await keysOf('outcome=absent&limit=1&cursor=1')).toEqual([[other], '4'])
    expect(await keysOf('outcome=left')).toEqual([[], undefined])
  })
})

test('the counts of an ended action are stored', async () => {
  const { keys } = await runs.anOpenRun()
  const planned = await bulk.plan([...keys, randomUUID()])
  await bulk.confirm(planned)
  const { bulkActionId, progress } = await bulk.endOf(planned)
  await runs.pool.query('update bulk_action set done_count = 7 where id = $1', [bulkActionId])

  const { body } = await bulk.as('GET', `/bulk-actions/${bulkActionId}`)

  expect(progress).toMatchObject({ done: 1, absent: 1, left: 0 })
  expect(body.progress).toMatchObject({ ...progress, done: 7 })
})

test('GET /bulk-actions: 200, the newest first, page by page', async () => {
  const { keys } = await runs.anOpenRun()
  const [first, second] = [await bulk.plan(keys), await bulk.plan(keys, { action: 'cancel' })]

  const page = await bulk.as('GET', '/bulk-actions?limit=1')
  const next = await bulk.as('GET', `/bulk-actions?limit=1&cursor=${page.body.nextCursor}`)

  const { items: _, possibleCount: __, ...told } = second.body
  expect([page.status, page.body.bulkActions]).toEqual([200, [told]])
  expect(next.body.bulkActions).toMatchObject([{ bulkActionId: first.body.bulkActionId }])
})
