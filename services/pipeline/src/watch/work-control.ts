import type { HealthCheck } from '@despatch/http/health'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { QueueName } from '@despatch/queue/queues'
import { type Repeated, type RepeatOptions, repeat } from '@despatch/queue/repeat'
import type { Database } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import { watchClock } from './check-clock.ts'
import { watchDependency } from './dependency-watch.ts'
import { type Outages, watchOutages } from './outages.ts'
import { type QueueWorker, type SteeredWorkers, steerWorkers } from './queue-workers.ts'

type WorkControlOptions = {
  database: Database
  objects: ObjectStore
  log: Logger
  registry: Registry
  now: () => Date
  onError: (error: Error) => void
}

/** Decides whether this process may work, from the state of its dependencies and of its clock. */
export type WorkControl = {
  outages: Outages
  checkClock(): Promise<HealthCheck>
  /** Controls these workers from now on. `onChange` is called when a dependency goes away or comes back. */
  steer(workers: readonly QueueWorker[], onChange: () => void): Repeated
  /** Returns whether this process, independently of other processes, takes no tasks from the queue. */
  isPaused(queue: QueueName): boolean
  /** Wraps a pass so that it does nothing while the clock is wrong or a dependency that it requires is away. */
  whilePossible(
    subject: string,
    pass: (closing: AbortSignal) => Promise<'again' | 'idle'>,
  ): RepeatOptions['pass']
  /** Ends the waits of tasks for a dependency that is away, because the pipeline closes. */
  endWaits(): void
}

const lookEveryMs = 250
const clockEveryMs = 20_000

/** Checks every dependency and the clock once before it resolves, so that no work starts that cannot be done. */
export async function controlWork(options: WorkControlOptions): Promise<WorkControl> {
  const { database, objects, log, registry, now, onError } = options
  let workers: SteeredWorkers | undefined
  let nudge = () => {}
  const onChange = () => {
    workers?.update()
    nudge()
  }
  const clock = watchClock({ pool: database.pool, now, onChange, log, registry })
  const { db } = database
  const outages = watchOutages(
    [
      watchDependency({
        db,
        log,
        onChange,
        dependency: 'database',
        probe: () => database.pool.query('select 1'),
      }),
      watchDependency({
        db,
        log,
        onChange,
        dependency: 'object-store',
        probe: () => probeObjects(objects),
      }),
    ],
    { registry },
  )
  let clockLookedAtMs = Number.NEGATIVE_INFINITY
  const look = async () => {
    const isClockDue = performance.now() - clockLookedAtMs >= clockEveryMs
    if (isClockDue) clockLookedAtMs = performance.now()
    await Promise.all([
      ...(isClockDue ? [clock.look()] : []),
      ...outages.watches.map((watch) => watch.look()),
    ])
  }
  await look()
  return {
    outages,
    checkClock: clock.look,
    steer: (steered, onSteeredChange) => {
      nudge = onSteeredChange
      workers = steerWorkers({ workers: steered, outages, isClockRight: clock.isRight })
      workers.update()
      const pass = async () => {
        const looked = look()
        workers?.update()
        await looked
        return 'idle' as const
      }
      return repeat({ name: 'steering', everyMs: lookEveryMs, onError, pass })
    },
    isPaused: (queue) => workers?.isPaused(queue) ?? false,
    whilePossible: (subject, pass) => async (_progressed, closing) => {
      if (!clock.isRight()) return 'idle'
      const needs = ['database', 'object-store'] as const
      const outcome = await outages.unlessAway(needs, subject, () => pass(closing))
      return outcome === 'away' ? 'idle' : outcome
    },
    endWaits: () => outages.endWaits(),
  }
}

/**
 * The key has the prefix of documents, so that the probe requires no other permissions than documents do. The orphan
 * walk skips it.
 */
const probeKey = 'documents/probe'
const probeBytes = Buffer.from('probe')

/**
 * Writes and reads an object, because an object store with a full disk still answers reads. Rejects if either fails.
 */
async function probeObjects(objects: Pick<ObjectStore, 'put' | 'get'>): Promise<void> {
  await objects.put(probeKey, probeBytes, 'text/plain')
  await objects.get(probeKey, { bytesMax: probeBytes.length })
}
