import { randomUUID } from 'node:crypto'
import { aDatabase } from '@despatch/testing/a-database'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { shared } from '@despatch/testing/shared'
import { describeWorkOnQueues } from '@despatch/testing/work-on-queues'
import { describeWork, type Held, type KindUnderTest } from '@despatch/testing/work-suite'
import { sql } from 'kysely'
import type { Kind, Placed } from '../src/kind.ts'

type Errand = { consumerId: string; id: string; version: number }

const database = await shared(aDatabase({ connectionsMax: 8 }))
const { db, pool } = database
// as docs/work.md says
await pool.query(`
  create table errand (
    id uuid primary key, consumer_id uuid not null, version integer not null default 0,
    deaths integer not null default 0, is_open boolean not null default true);
  create table errand_waiting (like letter_waiting including all);
  create table errand_later (like letter_later including all);
  create table errand_batch (like letter_batch including all);
  create table errand_spent (like letter_spent including all)`)

const openErrands = ({ subjects, versions }: Placed) => sql`
  select errand.* from unnest(${subjects}::uuid[], ${versions}::integer[]) as placed (id, version)
  join errand using (id, version) where errand.is_open`

const errands: Kind<Errand> = {
  name: 'errand',
  lanes: { plain: { guessMs: 1 }, slow: { guessMs: 1_000, isSlow: true } },
  queues: {
    ordinary: { name: 'letters', offeredMax: 4, offeredSeconds: 5 },
    slow: { name: 'slow', offeredMax: 2, offeredSeconds: 15 },
  },
  read: async (tx, placed) => {
    const { rows } = await sql<Errand>`
      select id, consumer_id as "consumerId", version from (${openErrands(placed)}) open`.execute(
      tx,
    )
    return rows
  },
  interrupt: async (tx, batches) => {
    const placed = {
      subjects: batches.flatMap(({ subjects }) => subjects),
      versions: batches.flatMap(({ versions }) => versions),
    }
    const { rows } = await sql`
      with open as materialized (${openErrands(placed)} order by errand.id for update of errand), dead as (
        update errand set version = errand.version + 1, deaths = errand.deaths + 1
        from open where errand.id = open.id returning errand.*
      )
      insert into errand_waiting (lane, consumer_id, subject, version)
      select 'slow', consumer_id, id, version from dead returning seq`.execute(tx)
    return rows.length
  },
}

/** Raises the version of an errand that still has this one, and writes its next place if it has one. */
async function settle({ subject, version }: Held, isOpen: boolean, place = '') {
  const { rows } = await pool.query(
    `with settled as (
       update errand set version = version + 1, is_open = $3 where id = $1 and version = $2 and is_open returning *
     ), placed as (${place || 'select'})
     select from settled`,
    [subject, version, isOpen],
  )
  return rows.length === 1
}

const later = (seconds: number, waitsFor: string | undefined) => `
  insert into errand_later (subject, version, lane, consumer_id, due_at, waits_for)
  select id, version, 'plain', consumer_id, now() + interval '${seconds} seconds',
    ${waitsFor ? `'${waitsFor}'` : 'null'} from settled`

const errand: KindUnderTest<Errand> = {
  database,
  kind: errands,
  aConsumer: async () => randomUUID(),
  add: async (consumerId, count) => {
    const ids = Array.from({ length: count }, () => randomUUID())
    for (const id of ids) {
      await pool.query('insert into errand (id, consumer_id) values ($1, $2)', [id, consumerId])
      await pool.query(
        `insert into errand_waiting (lane, consumer_id, subject, version) values ('plain', $1, $2, 0)`,
        [consumerId, id],
      )
    }
    return ids
  },
  held: ({ id, version }) => ({ subject: id, version }),
  finish: (held) => settle(held, false),
  postpone: (held, seconds, waitsFor) => settle(held, true, later(seconds, waitsFor)),
  park: (held) => settle(held, false),
  redrive: async (subject) => {
    await pool.query(
      `with settled as (update errand set version = version + 1, is_open = true where id = $1 returning *)
       ${later(0, undefined)}`,
      [subject],
    )
  },
  remove: async (subject) => {
    await pool.query('delete from errand where id = $1', [subject])
  },
  deathsOf: async (subject) => {
    const { deaths } = await db
      .selectFrom(sql<{ id: string; deaths: number }>`errand`.as('errand'))
      .select('deaths')
      .where('id', '=', subject)
      .executeTakeFirstOrThrow()
    return deaths
  },
}

const name = 'a kind that is made as docs/work.md says'
describeWork(name, errand)
for (const backend of await takeQueueBackends()) describeWorkOnQueues(name, errand, backend)
