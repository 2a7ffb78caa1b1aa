import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())
const { db } = administration
const acme = await administration.aConsumer('acme')
const key = '01890000-0000-7000-8000-000000000001'

/** Later than the events of the test's own users. In summer, the days of London begin at 23:00 UTC. */
const recorded: [at: string, actor: string, action: string, detail: object, consumerId?: string][] =
  [
    ['2090-01-10T23:59:59Z', 'command-line', 'print-job.held', { printJobKey: key }, acme],
    ['2090-06-30T22:59:59Z', 'consumer:1', 'queue.paused', { queue: 'slow', reason: key }],
    ['2090-06-30T23:00:00Z', 'consumer:1', 'print-run.closed', { batchNumber: 'R1' }],
    ['2090-07-01T22:59:59Z', 'consumer:2', 'queue.paused', { queue: 'callback' }],
    ['2090-07-01T23:00:00Z', 'provider:north', 'print-job.held', { printJobId: 'job-2' }, acme],
    [
      '2090-07-02T12:00:00Z',
      'consumer:1',
      'print-job.held',
      { printJobKey: key, bulkActionId: 'b' },
    ],
  ]
const ids: string[] = []
for (const [at, actor, action, detail, consumerId = null] of recorded) {
  const { rows } = await sql<{ id: string }>`
    insert into audit_event (at, actor, action, detail, consumer_id)
    values (${at}, ${actor}, ${action}, ${JSON.stringify(detail)}, ${consumerId}) returning id::text`.execute(
    db,
  )
  ids.push(rows[0]!.id)
}

test.each([
  ['actor=consumer:1', [5, 2, 1]],
  ['actor=provider:north', [4]],
  ['actor=command-line', [0]],
  ['actor=consumer:9', []],
  ['action=print-job.held', [5, 4, 0]],
  ['action=signing-key.rotated', []],
  [`about=${key}`, [5, 0]],
  ['about=job-2', [4]],
  ['about=R1', [2]],
  ['about=callback', [3]],
  ['about=b', [5]],
  ['about=job', []],
  ['from=2090-07-01', [5, 4, 3, 2]],
  ['from=2090-07-03', []],
  ['from=2090-07-01&to=2090-07-01', [3, 2]],
  ['from=2090-01-10&to=2090-06-30', [1, 0]],
  ['from=2090-01-11&to=2090-06-29', []],
  ['from=2090-07-02&to=9999-12-31', [5, 4]],
  [`consumerId=${acme}&from=2090-01-01`, [4, 0]],
  ['actor=consumer:1&action=print-job.held', [5]],
  ['actor=consumer:2&action=print-job.held', []],
  ['actor=consumer:1&from=2090-07-01&to=2090-07-01', [2]],
  ['action=queue.paused&from=2090-07-01', [3]],
  [`about=${key}&from=2090-07-01`, [5]],
  [`about=${key}&actor=command-line&action=print-job.held&consumerId=${acme}`, [0]],
  [`about=${key}&actor=consumer:2`, []],
])('200: %s', async (query, expected) => {
  const [all, onePerPage] = [await listed(`${query}&limit=100`), await listed(`${query}&limit=1`)]

  expect(all).toEqual(expected)
  expect(onePerPage).toEqual(expected)
})

test('200: events before the year 1 are in no range, and the longest range has all events', async () => {
  const { body } = await administration.asAdmin('GET', '/audit-events?to=0001-01-01')
  const all = await listed('from=0001-01-01&to=9999-12-31&limit=100')

  expect(body.auditEvents).toEqual([])
  expect(all.filter((index) => index >= 0)).toEqual([5, 4, 3, 2, 1, 0])
  expect(all.length).toBeGreaterThan(recorded.length)
})

test.for([
  ['about', '%00'],
  ['from', '2026-02-29'],
  ['from', '0000-01-01'],
  ['to', '2026-01-01T00:00:00Z'],
  ['to', '2026-12-23&from=2026-12-24'],
])('400: %s=%s', async ([title, value]) => {
  const answer = await administration.asAdmin('GET', `/audit-events?${title}=${value}`)

  expect(answer).toMatchObject(aProblem(400, { title }))
})

test('200: names the accounts of an event, but no user if it has none', async () => {
  const { body } = await administration.asOperator('GET', `/audit-events?consumerId=${acme}`)
  const { body: of } = await administration.asOperator(
    'GET',
    `/audit-events?consumerId=${administration.ids.admin}`,
  )

  expect(body.auditEvents.at(-1)).toMatchObject({
    action: 'consumer.created',
    userName: 'acme',
    actorUserName: 'admin',
  })
  expect(of.auditEvents.at(-1)).toMatchObject({ actor: 'seed', userName: 'admin' })
  expect(of.auditEvents.at(-1)).not.toHaveProperty('actorUserName')
})

/** Returns the indexes of the found events on all pages; -1 for one of the test's own users. */
async function listed(query: string): Promise<number[]> {
  const found: number[] = []
  const read = new Set<string>()
  for (let next = query; ; ) {
    const { status, body } = await administration.asOperator('GET', `/audit-events?${next}`)
    expect(status).toBe(200)
    for (const { id } of body.auditEvents) {
      expect(read, 'each is listed once').not.toContain(id)
      read.add(id)
      found.push(ids.indexOf(id))
    }
    if (!body.nextCursor) return found
    next = `${query}&cursor=${body.nextCursor}`
  }
}
