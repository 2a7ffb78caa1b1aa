import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { type KyselyPlugin, sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type PeriodicTask, startPeriodicTasks } from '../src/periodic-tasks.ts'
import { listPeriodicTasks, recordRuns, type TaskRun } from '../src/task-runs.ts'

const { db, pool } = await shared(aDatabase())
beforeEach(() => pool.query('delete from periodic_task'))

const never = 3_600_000
const hasWork = sql`true`
const isIdle = sql`false`

function aTask(name: string, given: Partial<PeriodicTask> = {}) {
  const seen = { passes: 0 }
  const pass = async () => {
    seen.passes += 1
    return 'idle' as const
  }
  return { seen, task: { name, everyMs: never, pass, ...given } }
}

function start(...tasks: PeriodicTask[]) {
  const errors: { err: Error; task: string }[] = []
  const statements: string[] = []
  const counting: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (JSON.stringify(node).includes('prepared: look')) statements.push(queryId.queryId)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const running = startPeriodicTasks(tasks, {
    db: db.withPlugin(counting),
    service: 'tests',
    prefersIndexes: true,
    log: { error: (line: object) => void errors.push(line as (typeof errors)[number]) },
  })
  onTestFinished(() => running.close())
  return { ...running, errors, statements }
}

test('one statement asks whether tasks have work, and only those that have it pass', async () => {
  const [busy, idle, other] = [
    aTask('busy', { hasWork }),
    aTask('idle', { hasWork: isIdle }),
    aTask('other'),
  ]
  const started = start(busy.task, idle.task, other.task)
  await eventually(() => busy.seen.passes + other.seen.passes === 2, { message: 'two passes' })

  expect([busy, idle, other].map(({ seen }) => seen.passes)).toEqual([1, 0, 1])
  expect(started.statements).toHaveLength(1)
})

test('a pass that has more to do is followed by another, and nobody asks in between', async () => {
  const results = ['again', 'again', 'idle'] as const
  let passes = 0
  const started = start(aTask('long', { hasWork, pass: async () => results[passes++]! }).task)
  await eventually(() => passes === 3, { message: 'three passes' })

  expect(started.statements).toHaveLength(1)
})

test('if nobody knows whether there is work, each task passes', async () => {
  const [wrong, other] = [
    aTask('wrong', { hasWork: sql`1 / 0 = 1` }),
    aTask('idle', { hasWork: isIdle }),
  ]
  start(wrong.task, other.task)

  await eventually(() => wrong.seen.passes + other.seen.passes === 2, { message: 'both passed' })
})

test('a nudge starts a pass, and a pass that fails is logged with its task', async () => {
  let passes = 0
  const fails = async () => {
    passes += 1
    if (passes > 1) throw new RangeError('too much')
    return 'idle' as const
  }
  const started = start(aTask('failing', { pass: fails }).task)
  await eventually(() => passes === 1, { message: 'the first pass' })
  started.nudge('failing')
  await eventually(() => started.errors.length === 1, { message: 'the failure is logged' })

  expect(started.errors).toEqual([{ err: new RangeError('too much'), task: 'failing' }])
})

/** A run whose times are this many seconds ago. */
function aRun(ago: { looked?: number; began?: number; ran?: number; failed?: number }): TaskRun {
  const at = (seconds: number) => performance.now() - seconds * 1000
  return {
    name: 'gathering',
    everyMs: 1_000,
    ...(ago.looked !== undefined && { lookedAtMs: at(ago.looked) }),
    ...(ago.began !== undefined && { beganAtMs: at(ago.began) }),
    ...(ago.ran !== undefined && { ran: { atMs: at(ago.ran), tookMs: ago.ran } }),
    ...(ago.failed !== undefined && { failed: { atMs: at(ago.failed), error: new TypeError() } }),
  }
}

const ageOf = (at: Date | null) => at && Math.round((Date.now() - at.getTime()) / 100) / 10

async function recorded() {
  return (await listPeriodicTasks(db)).map(({ lookedAt, beganAt, ranAt, failedAt, ...task }) => ({
    looked: ageOf(lookedAt),
    began: ageOf(beganAt),
    ran: ageOf(ranAt),
    tookMs: task.tookMs,
    failed: ageOf(failedAt),
    error: task.error,
  }))
}

test('a task that has not been looked at is not recorded', async () => {
  await recordRuns(db, 'tests', [aRun({})])

  expect(await recorded()).toEqual([])
})

test('of several processes, the last run and the last failure of any stay', async () => {
  await recordRuns(db, 'tests', [aRun({ looked: 60, began: 50, ran: 60, failed: 600 })])
  await recordRuns(db, 'tests', [aRun({ looked: 30, ran: 90, failed: 300 })])
  await recordRuns(db, 'tests', [aRun({ looked: 40, began: 10 })])

  const [task] = await recorded()
  expect(task).toMatchObject({ began: null, tookMs: 60, error: 'TypeError' })
  expect(task!.looked).toBeCloseTo(30, -1)
  expect(task!.ran).toBeCloseTo(60, -1)
  expect(task!.failed).toBeCloseTo(300, -1)
})

test('a task that fails from its start, and one in its first pass, are recorded', async () => {
  await recordRuns(db, 'tests', [
    { ...aRun({ failed: 10 }), name: 'failing' },
    { ...aRun({ began: 10 }), name: 'running' },
  ])

  expect((await recorded()).map(({ looked, error }) => [looked, error])).toEqual([
    [null, 'TypeError'],
    [null, null],
  ])
})

test('a task that no process has run for seven days is removed, not one that runs again', async () => {
  await recordRuns(db, 'others', [aRun({ looked: 1 })])
  await recordRuns(db, 'tests', [aRun({ looked: 1 })])
  const daysPass = (days: number) =>
    pool.query("update periodic_task set seen_at = seen_at - $1::integer * interval '1 day'", [
      days,
    ])
  const services = async () => (await listPeriodicTasks(db)).map(({ service }) => service)

  await daysPass(6)
  await recordRuns(db, 'tests', [{ ...aRun({ looked: 1 }), name: 'new' }])
  expect(await services()).toEqual(['others', 'tests', 'tests'])

  await daysPass(8)
  await recordRuns(db, 'tests', [aRun({ looked: 1 })])
  expect(await services()).toEqual(['tests'])
})

test('the next pass is due after the last look, and not known while one is under way', async () => {
  await recordRuns(db, 'tests', [aRun({ looked: 60 })])
  const [resting] = await listPeriodicTasks(db)
  expect(resting!.nextAt!.getTime() - resting!.lookedAt!.getTime()).toBe(resting!.everyMs)

  await recordRuns(db, 'tests', [aRun({ looked: 60, began: 10 })])

  expect(await listPeriodicTasks(db)).toMatchObject([{ nextAt: null }])
})
