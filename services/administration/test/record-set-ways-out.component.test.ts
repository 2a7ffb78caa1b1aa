import { randomUUID } from 'node:crypto'
import { findUnfinished } from '@despatch/store/record-set/record-sets'
import { abandonSet, beginPublishing, makeCurrent } from '@despatch/store/record-set/transitions'
import { aRecordStore, driver } from '@despatch/testing/a-record-store'
import { byEffort } from '@despatch/testing/effort'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { dropOldSets } from '../src/record-set/sweep.ts'

const store = await shared(aRecordStore())
const { db, pool } = store
const kind = 'driver'
/** Of the full form: some hundred walks on a slow machine. */
const fullMsMax = 1_800_000
/** Each set ends at a time of its own, and long enough ago that no enquiry uses it. */
const letAnHourPass = () =>
  pool.query("update record_set set ended_at = ended_at - interval '1 hour'")
const visited = new Set<string>()

async function ofState(state: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ id: number }>(
    'select id from record_set where state = $1 order by ended_at desc, id desc limit 1',
    [state],
  )
  return rows[0]?.id
}

/** What the owner of the records, an operator and a process that dies do. */
const steps = {
  load: async () => {
    const source = randomUUID()
    const { set } = await store.begin({ kind, source })
    await store.load(set.id, [driver(`D${source.slice(0, 8)}`, { driver: { lastName: source } })])
  },
  'die while it publishes': async () => {
    const set = await findUnfinished(db, kind)
    if (set) await db.transaction().execute((tx) => beginPublishing(tx, set.id))
  },
  publish: async () => {
    const set = await findUnfinished(db, kind)
    if (set) await store.publish(set.id)
  },
  abandon: async () => {
    const set = await findUnfinished(db, kind)
    if (set) await db.transaction().execute((tx) => abandonSet(tx, set.id))
  },
  'roll back': async () => {
    const id = await ofState('RETIRED')
    if (id) await db.transaction().execute((tx) => makeCurrent(tx, id))
  },
}
type Step = keyof typeof steps
const names = Object.keys(steps) as Step[]

/** Every sequence of this many steps, and of fewer. */
function sequences(length: number): Step[][] {
  if (length === 0) return [[]]
  return [[], ...sequences(length - 1).flatMap((rest) => names.map((name) => [name, ...rest]))]
}

test(
  'after any steps, an operator can end unfinished record sets, and unused sets are deleted in time',
  async () => {
    const long: Step[] = ['load', 'publish', 'load', 'publish', 'load', 'publish', 'roll back']
    for (const walk of [long, ...sequences(byEffort({ landing: 2, full: 4 }))]) {
      for (const name of walk) {
        await letAnHourPass()
        await steps[name]()
        await look()
      }
      await steps.abandon()
      await letAnHourPass()
      await dropOldSets(db, { graceSeconds: 300 })
      await look()

      expect({ walk, unfinished: await findUnfinished(db, kind) }).toEqual({ walk })
      expect(await setsWithNames()).toEqual(await setsOfUse())
    }
  },
  fullMsMax,
)

test('the walk visits every state that the database allows', async () => {
  const { rows } = await pool.query<{ definition: string }>(
    `select pg_get_constraintdef(oid) as definition from pg_constraint
     where conrelid = 'record_set'::regclass and contype = 'c' and pg_get_constraintdef(oid) ~ 'state'`,
  )
  const states = rows.flatMap(({ definition }) => [...definition.matchAll(/'([A-Z]+)'/g)])

  expect(states.length).toBeGreaterThan(0)
  expect([...visited].toSorted()).toEqual([...new Set(states.map(([, state]) => state))].toSorted())
})

async function look(): Promise<void> {
  const { rows } = await pool.query<{ state: string }>('select distinct state from record_set')
  for (const { state } of rows) visited.add(state)
}

/** The current set, and the one that an operator may return to. */
async function setsOfUse(): Promise<number[]> {
  const ids = [await ofState('CURRENT'), await ofState('RETIRED')]
  return ids.filter((id) => id !== undefined).toSorted((one, other) => one - other)
}

/** The sets of which any table, attached or not, has rows. */
async function setsWithNames(): Promise<number[]> {
  const { rows: tables } = await pool.query<{ name: string; id: number }>(
    `select relname as name, substring(relname from '[0-9]+$')::integer as id from pg_class
     where relkind = 'r' and relname ~ '^driver_(record|search)_s[0-9]+$'`,
  )
  const found = new Set<number>()
  for (const { name, id } of tables) {
    const { rows } = await pool.query(`select from "${name}" limit 1`)
    if (rows.length > 0) found.add(id)
  }
  return [...found].toSorted((one, other) => one - other)
}
