import { randomUUID } from 'node:crypto'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import { insertProvider } from '@despatch/store/access/consumers'
import { openDatabase } from '@despatch/store/database'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { signsInConsumers } from '@despatch/testing/sign-in-consumers'
import { someKeys } from '@despatch/testing/some-keys'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { afterEach, expect, test } from 'vitest'
import { findBulkAction } from '../src/bulk-action/bulk-actions.ts'
import { settleItem, type TakenItem, takeItem } from '../src/bulk-action/items.ts'
import { bulkActionTask, itemsAtOnce, itemsOfPassMax } from '../src/bulk-action/runner.ts'
import { startBulkAction } from '../src/operations/confirm-bulk-action.ts'
import { savePlan } from '../src/operations/plan-bulk-action.ts'

const log = createLogger({ service: 'test', level: 'silent' })
const heldOnce = (jobs: number) => [{ notes: 1, records: 1, jobs }]
const now = () => new Date()
const testDatabase = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(testDatabase.url))
await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

const running: { runner: Repeated; close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const { runner, close } of running.splice(0)) {
    await runner.close()
    await close()
  }
})

/** A separate process, as far as the database can see. */
function aRunner(name: string, everyMs = 50) {
  const metrics = createMetrics('administration')
  const { db, close } = openDatabase(testDatabase.url, { name, connectionsMax: 3 })
  const task = bulkActionTask({ db, log, metrics, now })
  const runner = repeat({ ...task, everyMs, onError: (err) => log.error({ err }, 'pass-failed') })
  running.push({ runner, close })
  return { metrics, runner }
}

/** A confirmed bulk action that no process has started. */
async function aConfirmedHold(keys: readonly string[], by = runs.consumer.consumerId) {
  const id = randomUUID()
  await runs.db.transaction().execute(async (tx) => {
    await savePlan(tx, {
      id,
      action: 'hold',
      reason: 'asked for',
      digest: '0'.repeat(64),
      printJobKeys: keys,
      needsSecondPerson: false,
      plannedBy: by,
      plannedAt: now(),
      matching: null,
      matchingHash: null,
    })
    await startBulkAction(tx, { id, by, at: now() })
  })
  return id
}

const endOf = (id: string) =>
  eventually(
    async () => {
      const found = await findBulkAction(runs.db, id)
      return found?.state === 'ENDED' && found
    },
    { message: 'the bulk action has ended' },
  )

/** Returns how often each of the print jobs was held, by its timeline and by the audit log. */
async function timesHeld(keys: readonly string[]) {
  const { rows } = await runs.pool.query(
    `select notes::integer, records::integer, count(*)::integer as jobs from unnest($1::uuid[]) as job (key)
     cross join lateral (select count(*) as notes from print_job_event
       where print_job_key = job.key and transition = 'hold') note
     cross join lateral (select count(*) as records from audit_event
       where action = 'print-job.held' and detail ->> 'printJobKey' = job.key::text) record
     group by 1, 2`,
    [keys],
  )
  return rows
}

async function samplesOf(metrics: ReturnType<typeof createMetrics>) {
  return (await metrics.metrics()).split('\n').filter((line) => /^[a-z]/.test(line))
}

test('one process holds all print jobs, without a pause between passes', async () => {
  const { keys } = await runs.anOpenRun(itemsOfPassMax * itemsAtOnce + 1)
  const id = await aConfirmedHold(keys)
  const { metrics } = aRunner('one', 3_600_000)

  expect(await endOf(id)).toMatchObject({ done: keys.length, left: 0 })
  expect(await timesHeld(keys)).toEqual(heldOnce(keys.length))
  const done = `bulk_action_items_total{outcome="done",service="administration"} ${keys.length}`
  await eventually(async () => (await samplesOf(metrics)).includes(done), {
    message: 'the print jobs are counted',
  })
  const oldest = 'bulk_action_oldest_seconds{service="administration"} 0'
  expect(await samplesOf(metrics)).toContain(oldest)
})

test('concurrent processes hold each print job once', async () => {
  const { keys } = await runs.anOpenRun(100)
  const id = await aConfirmedHold(keys)
  for (const name of ['first', 'second', 'third']) aRunner(name)

  expect(await endOf(id)).toMatchObject({ done: 100 })
  expect(await timesHeld(keys)).toEqual(heldOnce(100))
  const { rows } = await runs.pool.query(
    `select count(*)::integer as ended from audit_event
     where action = 'bulk-action.ended' and detail ->> 'bulkActionId' = $1`,
    [id],
  )
  expect(rows).toEqual([{ ended: 1 }])
})

test('each print job is held exactly once, even if statements are interrupted repeatedly', async () => {
  const { keys } = await runs.anOpenRun(300)
  const id = await aConfirmedHold(keys)
  aRunner('cut off')
  let cuts = 0
  const cutOff = async () => {
    const { rowCount } = await runs.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'cut off' and datname = current_database() and state <> 'idle'`,
    )
    cuts += rowCount ?? 0
    return cuts >= 10
  }
  await eventually(cutOff, { message: 'ten sessions of the runner were cut off at work' })

  expect(await endOf(id)).toMatchObject({ done: 300, refused: 0, left: 0 })
  expect(await timesHeld(keys)).toEqual(heldOnce(300))
})

test('operators take turns, with any number of print jobs for each', async () => {
  const signIn = await signsInConsumers({
    db: runs.db,
    secretKeyHex: someKeys.DESPATCH_KEY_SIGNING,
  })
  const { consumerId: other } = await signIn({ roles: ['operator'] })
  const { keys } = await runs.anOpenRun(7)
  const ids = [
    await aConfirmedHold(keys.slice(0, 4)),
    await aConfirmedHold(keys.slice(4, 5)),
    await aConfirmedHold(keys.slice(5, 7), other),
  ]

  const taken: TakenItem[] = []
  let planner: string | null = null
  for (;;) {
    const item = await runs.db.transaction().execute(async (tx) => {
      const next = await takeItem(tx, planner)
      if (next) await settleItem(tx, next, { outcome: 'done', at: now() })
      return next
    })
    if (!item) break
    taken.push(item)
    planner = item.plannedBy
  }

  const isOther = taken.map(({ plannedBy }) => plannedBy === other)
  const [first] = isOther
  expect(isOther).toEqual([first, !first, first, !first, false, false, false])
  const ofFirst = taken.filter(({ plannedBy }) => plannedBy !== other)
  expect(ofFirst.map(({ bulkActionId }) => bulkActionId)).toEqual([
    ...Array(4).fill(ids[0]),
    ids[1],
  ])
})

test('a runner that closes halfway leaves the rest to the next runner', async () => {
  const { keys } = await runs.anOpenRun(300)
  const id = await aConfirmedHold(keys)
  const { runner } = aRunner('closed')
  await eventually(async () => (await findBulkAction(runs.db, id))?.done, {
    message: 'the first print job is done',
  })
  await runner.close()
  expect((await findBulkAction(runs.db, id))?.left).toBeGreaterThan(0)
  aRunner('next')

  expect(await endOf(id)).toMatchObject({ done: 300 })
  expect(await timesHeld(keys)).toEqual(heldOnce(300))
})

test('a fault of ours at one print job is logged and retried, and does not delay other print jobs', async () => {
  const { keys } = await runs.anOpenRun(5)
  await runs.pool.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
    create trigger broken before update on print_job for each row when (new.key = '${keys[1]}') execute function fail()`)
  const id = await aConfirmedHold(keys)
  const { metrics } = aRunner('failing')

  const found = await eventually(
    async () => {
      const bulkAction = await findBulkAction(runs.db, id)
      return bulkAction?.done === 4 && bulkAction.failing === 1 && bulkAction
    },
    { message: 'the other print jobs are done' },
  )
  expect(found).toMatchObject({ state: 'RUNNING', left: 1, refused: 0 })
  const { rows } = await runs.pool.query(
    "select failure, outcome, retry_at > at_failure as later from bulk_action_item, (select now() - interval '1 minute' as at_failure) t where bulk_action_id = $1 and failures > 0",
    [id],
  )
  expect(rows).toEqual([{ failure: 'DatabaseError', outcome: null, later: true }])
  expect(await samplesOf(metrics)).toContainEqual(
    expect.stringMatching(/^bulk_action_items_total\{outcome="failed",.*\} [1-9]/),
  )
  await runs.pool.query('drop function fail cascade')

  expect(await endOf(id)).toMatchObject({ done: 5, left: 0 })
  expect(await timesHeld(keys)).toEqual(heldOnce(5))
})
