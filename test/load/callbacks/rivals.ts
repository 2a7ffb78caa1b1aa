import { prepareQueues } from '@despatch/queue/prepare-queues'
import type { Carrier } from '../task-queues.ts'
import { authenticationHeader, type Message, path, renderMessages } from './add-messages.ts'
import { type Bench, checkArrivals, longestMs } from './bench-parts.ts'

/** A callback with everything that is sent. The body is text, since a queue carries JSON. */
export type RivalTask = Pick<Message, 'id' | 'origin' | 'correlationId'> & {
  path: string
  authenticationHeader: string
  body: string
}

/** Each is answered with a number: of the tasks, or when the last was done, by the monotonic clock. */
export type RivalRequest = { kind: 'add'; tasks: readonly RivalTask[] } | { kind: 'run' }

/** What delivery is compared with, and what carries its tasks. The loop has its tasks in memory. */
export const rivals = {
  'bare undici loop': undefined,
  'BullMQ on Redis': 'bullmq-redis',
  'pg-boss': 'pg-boss',
  'BullMQ on PostgreSQL': 'bullmq',
} as const satisfies Record<string, Carrier | undefined>

export type RivalName = keyof typeof rivals

const tasksPerMessage = 1_000

/** Prepares the database for the rivals. */
export async function prepareRivals({ ground, database }: Bench): Promise<void> {
  await prepareQueues(ground.databaseUrl)
  await database.pool.query(`create schema bench
    create table delivery (id uuid primary key, started_at timestamptz not null, duration_ms integer not null,
      http_status integer not null)`)
}

/**
 * Delivers `--deliveries` callbacks with a new process of the rival, which has all tasks before it starts. Returns
 * callbacks per second. Throws unless each arrived once, signed, and was recorded; the loop signs and records nothing.
 */
export async function deliverByRival(
  bench: Bench,
  name: RivalName,
  originsUsed: number,
): Promise<number> {
  const { ground, settings, database, receivers, consumer } = bench
  const { deliveries } = settings
  const carrier = rivals[name]
  const messages = renderMessages(deliveries, receivers.origins.slice(0, originsUsed))
  const script = carrier ? 'task-per-callback' : 'bare-loop'
  const program = await ground.start(`test/load/callbacks/${script}-main.ts`, {
    environment: {
      DATABASE_URL: ground.databaseUrl,
      QUEUE_URL: carrier === 'bullmq-redis' ? ground.redis!.url : ground.databaseUrl,
      CARRIER: carrier ?? '',
      SECRET: consumer.secret,
    },
  })
  const ask = (request: RivalRequest, signal = ground.signal) =>
    program.ask<number>(request, signal)
  try {
    for (let first = 0; first < deliveries; first += tasksPerMessage) {
      const tasks = messages.slice(first, first + tasksPerMessage).map(toTask)
      await ask({ kind: 'add', tasks })
    }
    await database.pool.query('truncate bench.delivery')
    await database.pool.query('vacuum analyze')
    await receivers.begin([], { keepsCalls: carrier !== undefined })
    const late = AbortSignal.timeout(longestMs(settings))
    const endedAtMs = await ask({ kind: 'run' }, AbortSignal.any([ground.signal, late]))
    const arrivals = await receivers.await(deliveries, longestMs(settings))
    const firstAtMs = await checkArrivals(bench, arrivals, messages)
    if (arrivals.calls > deliveries) throw new Error(`${arrivals.calls} calls were made`)
    if (carrier) await checkRecords(bench, messages)
    return (deliveries * 1_000) / (endedAtMs - firstAtMs)
  } finally {
    await program.stop()
  }
}

function toTask({ id, origin, correlationId, body }: Message): RivalTask {
  return { id, origin, path, correlationId, authenticationHeader, body: body.toString() }
}

async function checkRecords({ database }: Bench, messages: readonly Message[]): Promise<void> {
  const { rows } = await database.pool.query<{ recorded: number }>(
    'select count(*)::integer as recorded from bench.delivery where id = any ($1::uuid[])',
    [messages.map(({ id }) => id)],
  )
  const { recorded } = rows[0]!
  if (recorded < messages.length) throw new Error(`Only ${recorded} deliveries were recorded`)
}
