import { seedConsumer } from '@despatch/access/seed'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type AuditSearch, searchAuditEvents } from '../src/operations/list-audit-events.ts'

const { db } = await shared(aDatabase())
const acme = await seedConsumer(db, {
  userName: 'acme',
  name: 'Acme',
  password: 'as long as it has to be aA1',
  apiKey: 'key of acme',
  roles: ['consumer'],
  contracts: [],
})

// One actor has the older half of 6,000 events, and another the newer.
await sql`
  insert into audit_event (at, actor, action, consumer_id, detail)
  select '2091-01-01'::timestamptz + number * interval '1 hour',
    case when number <= 3000 then 'consumer:old' else 'consumer:new' end,
    case when number % 1000 = 0 then 'queue.drained' when number <= 3000 then 'print-job.held' else 'console.signed-in' end,
    case when number <= 3000 then ${acme}::uuid end, jsonb_build_object('printJobId', 'many-' || number)
  from generate_series(1, 6000) number`.execute(db)
await sql`analyze audit_event`.execute(db)

test.each<[string, Partial<AuditSearch>, found: number]>([
  ['an actor who has no newer events', { actor: 'consumer:old' }, 10],
  ['an actor who has none', { actor: 'consumer:9' }, 0],
  ['an action that was not recorded lately', { action: 'print-job.held' }, 10],
  ['a consumer who was not changed lately', { consumerId: acme }, 10],
  ['what an old event is about', { about: 'many-7' }, 1],
  ['what no event is about', { about: 'many-0' }, 0],
  ['two old days', { from: new Date('2091-01-10'), to: new Date('2091-01-12') }, 10],
  ['days before all events', { to: new Date('2010-01-01') }, 0],
  [
    'an actor on days when there was no event of it',
    { actor: 'consumer:old', from: new Date('2091-06-01') },
    0,
  ],
  ['an actor and an action that is rare', { actor: 'consumer:old', action: 'queue.drained' }, 3],
])('a search for %s finds all of them and reads few events', async (_, search, found) => {
  const { events, rowsRead } = await db.transaction().execute(async (tx) => {
    const page = await searchAuditEvents(tx, { eventsMax: 10, ...search }, { lookedThroughMax: 50 })
    const { rows } = await sql<{ read: number }>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read
      from pg_stat_xact_user_tables where relname = 'audit_event'`.execute(tx)
    return { events: page.events, rowsRead: rows[0]!.read }
  })

  expect(events).toHaveLength(found)
  expect(rowsRead).toBeLessThan(300)
})

test('if each filter matches many events, a page reads some and returns where the next page starts', async () => {
  const search = { actor: 'consumer:old', action: 'print-job.held', eventsMax: 2_000 } as const
  const pages: number[] = []
  let before: string | undefined
  do {
    const limits = { lookedThroughMax: 1_400 }
    const { events, nextBefore } = await searchAuditEvents(db, { ...search, before }, limits)
    pages.push(events.length)
    before = nextBefore
  } while (before !== undefined)

  // the actor has 3,000 events, three of them with another action
  expect(pages).toEqual([1_398, 1_399, 200])
})
