import { prepared } from '@despatch/postgres/prepared'
import { type Repeated, type RepeatOptions, repeat } from '@despatch/queue/repeat'
import type { Logger } from '@despatch/telemetry/logger'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './kind.ts'
import { recordRuns, type TaskRun } from './task-runs.ts'

/** What a service does again and again for the whole system, such as gathering print runs. */
export type PeriodicTask = {
  /** Names it in `periodic_task`, in readiness and in metrics. */
  name: string
  /**
   * SQL: false if a pass would find nothing to do. Must read little, such as the first entry of an index. Without it,
   * there is a pass at each interval.
   */
  hasWork?: RawBuilder<unknown>
  everyMs: number
} & Pick<RepeatOptions, 'passMsMax' | 'pass'>

export type RunningTask = Pick<PeriodicTask, 'name' | 'everyMs'> & Repeated

export type PeriodicTasks = {
  /** The loop of each task, and last the one that records the runs. */
  running: readonly RunningTask[]
  /** Starts the next pass of the task now. */
  nudge(name: string): void
  /** Asks the passes under way to end, and waits for them up to 5 s. */
  close(): Promise<void>
}

type TasksOptions = {
  db: Db
  service: string
  /** Its connections prefer indexes, so the statement that looks for work can be prepared. Default: false. */
  prefersIndexes?: boolean
  log: Pick<Logger, 'error'>
}

/** Operators see what happened up to this long ago, and soon after a start. */
const recordEveryMs = 15_000
const firstRecordMs = 1_000
/** Loops wake up together, give or take a few milliseconds. */
const gatherMs = 5

/**
 * Starts the tasks of a service. One statement asks for all of them whether they have work, and `periodic_task` says when
 * each ran. Each process of the service runs them, so a task must be safe to run in several at once. A pass that fails is
 * logged as `periodic-task.failed`, and the next one comes at its time.
 */
export function startPeriodicTasks(
  tasks: readonly PeriodicTask[],
  { log, ...options }: TasksOptions,
): PeriodicTasks {
  const { db, service } = options
  const hasWork = createLook(tasks, options)
  const runs: TaskRun[] = tasks.map(({ name, everyMs }) => ({ name, everyMs }))
  const onErrorOf = (task: string) => (err: Error) =>
    log.error({ err, task }, 'periodic-task.failed')
  const running = tasks.map((task, index) => {
    const pass = notedPass(task, runs[index]!, hasWork)
    return { ...task, ...repeat({ ...task, pass, onError: onErrorOf(task.name) }) }
  })
  const recording = { name: 'record-runs', everyMs: recordEveryMs }
  const recorder = repeat({
    ...recording,
    onError: onErrorOf(recording.name),
    pass: async () => {
      await recordRuns(db, service, runs)
      return 'idle'
    },
  })
  const first = setTimeout(() => recorder.nudge(), firstRecordMs)
  const loops = [...running, { ...recording, ...recorder }]
  return {
    running: loops,
    nudge: (name) => loops.find((loop) => loop.name === name)?.nudge(),
    close: async () => {
      clearTimeout(first)
      await Promise.all(loops.map((loop) => loop.close()))
    },
  }
}

type HasWork = (task: PeriodicTask) => Promise<boolean>

/** Returns a pass that asks first whether there is work, and notes what it does. */
function notedPass(task: PeriodicTask, run: TaskRun, hasWork: HasWork): RepeatOptions['pass'] {
  let isMore = false
  return async (progressed, closing) => {
    if (!isMore && !(await hasWork(task))) {
      run.lookedAtMs = performance.now()
      return 'idle'
    }
    isMore = false
    if (closing.aborted) return 'idle'
    const beganAtMs = performance.now()
    run.beganAtMs = beganAtMs
    try {
      const result = await task.pass(progressed, closing)
      run.lookedAtMs = performance.now()
      run.ran = { atMs: beganAtMs, tookMs: run.lookedAtMs - beganAtMs }
      isMore = result === 'again'
      return result
    } catch (error) {
      if (!closing.aborted) run.failed = { atMs: performance.now(), error }
      throw error
    } finally {
      run.beganAtMs = undefined
    }
  }
}

/**
 * Returns a function that says whether a task has work. Calls within some milliseconds share one statement. It asks for
 * all tasks, so that its text is always the same. If nobody knows, the task has work: its pass reports what it meets.
 */
function createLook(
  tasks: readonly PeriodicTask[],
  { db, service, prefersIndexes = false }: Omit<TasksOptions, 'log'>,
): HasWork {
  const asked = tasks.filter(({ hasWork }) => hasWork)
  const columns = asked.map(({ name, hasWork }) => sql`(${hasWork}) as ${sql.ref(name)}`)
  const mark = prefersIndexes ? prepared(`look ${service}`) : sql``
  const statement = sql<Record<string, boolean>>`${mark} select ${sql.join(columns)}`
  let looking: Promise<Record<string, boolean>> | undefined
  const look = async () => {
    await new Promise((resolve) => setTimeout(resolve, gatherMs))
    looking = undefined
    const { rows } = await statement.execute(db)
    return rows[0]!
  }
  return async ({ name, hasWork }) => {
    if (!hasWork) return true
    looking ??= look()
    return looking.then(
      (found) => found[name]!,
      () => true,
    )
  }
}
