import type { HealthCheck } from '@despatch/http/health'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { QueueName } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import type { Database } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import { watchClock } from './check-clock.ts'
import { watchDependency } from './dependency-watch.ts'
import { createLanes, type Lane, type Lanes } from './lanes.ts'
import { type Outages, watchOutages } from './outages.ts'
import { probeObjects } from './probe-objects.ts'

export type WorkControlOptions = {
  database: Database
  objects: ObjectStore
  log: Logger
  registry: Registry
  now: () => Date
  onError: (error: Error) => void
}

/** Whether this process may work: on what is away, and on its clock. */
export type WorkControl = {
  outages: Outages
  checkClock(): Promise<HealthCheck>
  /** Steers these lanes from now on. `onChange` is called when something has gone away or come back. */
  steer(lanes: readonly Lane[], onChange: () => void): Repeated
  /** Whether this process takes nothing from the queue, for itself alone. */
  isPaused(queue: QueueName): boolean
  /** Makes a pass that does nothing while the clock is off or what it needs is away. */
  whilePossible(
    subject: string,
    pass: () => Promise<'again' | 'idle'>,
  ): () => Promise<'again' | 'idle'>
  /** Lets go of tasks that wait for something that is away. */
  close(): void
}

const lookEveryMs = 250
const clockEveryMs = 20_000

/** Asks for everything once before it settles, so that no work begins that cannot be done. */
export async function controlWork(options: WorkControlOptions): Promise<WorkControl> {
  const { database, objects, log, registry, now, onError } = options
  let lanes: Lanes | undefined
  let nudge = () => {}
  const onChange = () => {
    lanes?.update()
    nudge()
  }
  const clock = watchClock({ pool: database.pool, now, onChange, log, registry })
  const { db } = database
  const outages = watchOutages(
    [
      watchDependency({
        ...{ db, log, onChange, dependency: 'database' },
        probe: () => database.pool.query('select 1'),
      }),
      watchDependency({
        ...{ db, log, onChange, dependency: 'object-store' },
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
      lanes = createLanes({ lanes: steered, outages, isClockRight: clock.isRight })
      lanes.update()
      const pass = async () => {
        const looked = look()
        lanes?.update()
        await looked
        return 'idle' as const
      }
      return repeat({ name: 'steering', everyMs: lookEveryMs, onError, pass })
    },
    isPaused: (queue) => lanes?.isPaused(queue) ?? false,
    whilePossible: (subject, pass) => async () => {
      if (!clock.isRight()) return 'idle'
      const outcome = await outages.unlessAway(['database', 'object-store'], subject, pass)
      return outcome === 'away' ? 'idle' : outcome
    },
    close: () => outages.close(),
  }
}
