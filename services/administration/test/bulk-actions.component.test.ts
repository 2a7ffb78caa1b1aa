import { randomUUID } from 'node:crypto'
import { parkStep } from '@despatch/store/print-job/steps'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aSubmission } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { takeWaitingLetters } from '@despatch/testing/take-waiting-letters'
import { beforeEach, describe, expect, test } from 'vitest'
import { readMatchingKeys } from '../src/bulk-action/matching-keys.ts'
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

const operator = () => `consumer:${administration.ids.operator}`
const admin = () => `consumer:${administration.ids.admin}`

describe('POST /bulk-actions', () => {
  test('201: the exact count, and of each print job whether it is possible; nothing is done', async () => {
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
      [operator(), 'bulk-action.planned'],
    ])
  })

  test('201: all that match filters when it is planned, and no ended ones', async () => {
    const { consumerId } = runs.consumer
    const bulkActionId = randomUUID()
    const before = await runs.anOpenRun(2)
    const request = { action: 'hold', reason, matching: { consumerId, status: 'PENDING' } }

    const planned = await bulk.as('POST', '/bulk-actions', { bulkActionId, ...request })
    const { keys } = await runs.anOpenRun(1)
    const again = await bulk.as('POST', '/bulk-actions', { bulkActionId, ...request })
    const all = await bulk.as('POST', '/bulk-actions', { ...request, matching: { consumerId } })
    const ended = await bulk.as('POST', '/bulk-actions', {
      ...request,
      matching: { consumerId, status: 'DESPATCHED' },
    })

    const keysOf = ({ body }: typeof planned) =>
      body.items.map(({ printJobKey }: { printJobKey: string }) => printJobKey)
    expect([planned.status, again.status]).toEqual([201, 200])
    expect(planned.body.printJobCount).toBe(keysOf(planned).length)
    expect(keysOf(planned)).toEqual(expect.arrayContaining(before.keys))
    expect(keysOf(planned)).not.toContain(keys[0])
    expect(keysOf(again)).toEqual(keysOf(planned))
    expect(keysOf(all)).toEqual(expect.arrayContaining([...before.keys, ...keys]))
    expect(ended).toMatchObject(conflict('No print job that has not ended matches.'))
  })

  test('201: those that a search finds; the audit log does not have its text', async () => {
    const { ids, keys } = await runs.anOpenRun(2)
    const matching = { find: ids[0], statuses: ['PENDING'] }

    const { body } = await bulk.as('POST', '/bulk-actions', { action: 'hold', reason, matching })

    expect(body.items).toMatchObject([{ printJobKey: keys[0], isPossible: true }])
    const { body: audit } = await administration.asAdmin('GET', '/audit-events?limit=1')
    expect(audit.auditEvents[0].detail.matching).toEqual({ statuses: ['PENDING'], hasText: true })
  })

  test('more than a bulk action may have are refused', async () => {
    const { consumerId } = runs.consumer
    await runs.anOpenRun(3)
    const sources = { db: administration.db, searchHasher: async () => undefined }

    const reading = readMatchingKeys(sources, { consumerId }, 2)

    await expect(reading).rejects.toThrow('More than 2 print jobs match. Narrow the filters.')
  })

  test('400: neither keys nor filters, or both', async () => {
    const keys = { printJobKeys: [randomUUID()] }
    for (const chosen of [{}, { ...keys, matching: {} }]) {
      const { status, body } = await bulk.as('POST', '/bulk-actions', {
        ...{ action: 'hold', reason },
        ...chosen,
      })
      expect([status, body.errors[0].detail]).toEqual([
        400,
        expect.stringContaining('printJobKeys'),
      ])
    }
  })

  test('200: the same plan under its id; 409: another under it', async () => {
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

  const key = randomUUID()
  test.each<[string, object, string]>([
    ['no print job', { printJobKeys: [] }, 'printJobKeys'],
    ['one twice', { printJobKeys: [key, key.toUpperCase()] }, 'printJobKeys'],
    [
      'more than 1,000',
      { printJobKeys: Array.from({ length: 1_001 }, () => randomUUID()) },
      'printJobKeys',
    ],
    ['no key', { printJobKeys: ['all'] }, 'printJobKeys'],
    ['no reason', { reason: '' }, 'reason'],
    ['another action', { action: 'override-address' }, 'action'],
  ])('400: %s', async (_name, wrong, title) => {
    const { status, body } = await bulk.plan([key], wrong)

    expect(status).toBe(400)
    expect(body.errors[0].title).toContain(title)
  })
})

describe('POST /bulk-actions/{bulkActionId}/confirm', () => {
  test('200: each in order, in the timeline and the audit log with actor and reason', async () => {
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
    expect(held).toMatchObject({ heldBy: operator() })
    expect(held.events.at(-1)).toMatchObject({
      transition: 'hold',
      actor: operator(),
      reason: `${reason} (bulk action ${bulkActionId})`,
    })
    expect(await bulk.recordedOf(bulkActionId)).toEqual([
      [operator(), 'bulk-action.planned'],
      [operator(), 'bulk-action.confirmed'],
      [operator(), 'print-job.held'],
      ['administration', 'bulk-action.ended'],
    ])
  })

  test('200: confirmed twice, it is done once', async () => {
    const { keys } = await runs.anOpenRun()
    const planned = await bulk.plan(keys)

    await bulk.confirm(planned)
    const ended = await bulk.endOf(planned)
    const again = await bulk.confirm(planned, 'admin')

    expect(again).toMatchObject({ status: 200, body: ended })
    const { body } = await bulk.as('GET', `/print-jobs/${keys[0]}`)
    expect(
      body.events.filter(({ transition }: { transition: string }) => transition === 'hold'),
    ).toHaveLength(1)
  })

  test('403: above the count the planner does not confirm; a second person does, and is named', async () => {
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
      actor: operator(),
      reason: `${reason} (bulk action ${bulkActionId}, confirmed by ${admin()})`,
    })
  })

  test('409: another count, another digest; 400: none', async () => {
    const { keys } = await runs.anOpenRun()
    const planned = await bulk.plan(keys)

    expect(await bulk.confirm(planned, 'operator', { printJobCount: 2 })).toMatchObject(
      conflict('The plan has 1 print jobs, not 2.'),
    )
    expect(await bulk.confirm(planned, 'operator', { digest: '0'.repeat(64) })).toMatchObject(
      conflict('The digest belongs to other print jobs or another action.'),
    )
    expect(await bulk.confirm(planned, 'operator', { digest: '' })).toMatchObject({ status: 400 })
    const { bulkActionId } = planned.body
    expect(await bulk.recordedOf(bulkActionId)).toEqual([[operator(), 'bulk-action.planned']])
  })

  test('409: after 24 hours, as EXPIRED', async () => {
    const { keys } = await runs.anOpenRun()
    const planned = await bulk.plan(keys)
    await runs.pool.query(
      `update bulk_action set planned_at = planned_at - interval '24 hours' where id = $1`,
      [planned.body.bulkActionId],
    )
    const { body } = await bulk.as('GET', `/bulk-actions/${planned.body.bulkActionId}`)

    expect(body).toMatchObject({ state: 'EXPIRED' })
    expect(body).not.toHaveProperty('expiresAt')
    expect(await bulk.confirm(planned)).toMatchObject(
      conflict('It was not confirmed within 24 hours. Plan it again.'),
    )
  })
})

describe('each action is done as the single one is', () => {
  test('hold, release and cancel', async () => {
    const { keys } = await runs.anOpenRun(2)
    for (const [action, transition] of [
      ['hold', 'hold'],
      ['release', 'release-hold'],
      ['cancel', 'delete'],
    ]) {
      const planned = await bulk.plan(keys, { action })
      await bulk.confirm(planned)

      expect(await bulk.endOf(planned)).toMatchObject({ progress: { done: 2 } })
      for (const key of keys) {
        const { body } = await bulk.as('GET', `/print-jobs/${key}`)
        expect(body.events.at(-1)).toMatchObject({ transition })
      }
    }
  })

  test('redrive: parked letters are taken by workers again, as if they had not failed', async () => {
    const submissions = [1, 2].map(() => aSubmission(runs.consumer))
    await saveSubmissions(runs.pool, submissions)
    for (const step of await takeWaitingLetters(runs.db)) {
      await parkStep(runs.db, step, 'StorageDown')
    }
    const keys = submissions.map(({ key }) => key)
    const planned = await bulk.plan(keys, { action: 'redrive' })
    await bulk.confirm(planned)

    expect(await bulk.endOf(planned)).toMatchObject({ progress: { done: 2 } })

    const taken = await takeWaitingLetters(runs.db)
    expect(taken.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
    expect(taken).toMatchObject([1, 2].map(() => ({ starts: 1, failures: 0 })))
  })

  test('redrive is refused where nothing is parked', async () => {
    const { keys } = await runs.anOpenRun()
    const planned = await bulk.plan(keys, { action: 'redrive' })
    await bulk.confirm(planned)

    expect(await bulk.endOf(planned)).toMatchObject({
      items: [{ outcome: 'refused', whyNot: 'It is not parked; it continues automatically.' }],
    })
  })
})

test('GET /bulk-actions: 200, the newest first, page by page', async () => {
  const { keys } = await runs.anOpenRun()
  const [first, second] = [await bulk.plan(keys), await bulk.plan(keys, { action: 'cancel' })]

  const page = await bulk.as('GET', '/bulk-actions?limit=1')
  const next = await bulk.as('GET', `/bulk-actions?limit=1&cursor=${page.body.nextCursor}`)

  const { items: _, possibleCount: __, ...told } = second.body
  expect([page.status, page.body.bulkActions]).toEqual([200, [told]])
  expect(next.body.bulkActions).toMatchObject([{ bulkActionId: first.body.bulkActionId }])
  expect(await bulk.as('GET', '/bulk-actions?cursor=first')).toMatchObject({ status: 400 })
})

describe('no such bulk action', () => {
  const id = randomUUID()
  const digest = '0'.repeat(64)
  test.each([
    ['GET', `/bulk-actions/${id}`, undefined],
    ['POST', `/bulk-actions/${id}/confirm`, { digest, printJobCount: 1 }],
    ['POST', `/bulk-actions/${id}/stop`, undefined],
  ] as const)('404: %s %s', async (method, path, body) => {
    const title = 'No such bulk action'
    expect(await bulk.as(method, path, body)).toMatchObject(
      refusal('404 NOT_FOUND', 'BulkActionNotFound', `There is no bulk action ${id}`, title),
    )
  })
})
