import { randomBytes } from 'node:crypto'
import type { Comparison } from '../comparison.ts'
import { monotonicMs } from '../statistics.ts'
import {
  addMessages,
  authenticationHeader,
  insertPrintJobs,
  type Message,
  path,
  renderMessages,
} from './add-messages.ts'
import { allEnded, type Bench } from './bench-parts.ts'
import { callsPerOriginMax, callsUnderWayMax, startCallbacks } from './callbacks-side.ts'
import type { Arrivals } from './receivers.ts'

/** One call of the bare loop, equal to one of ours. `headers` holds names and values alternately. */
export type BareCall = { origin: string; path: string; headers: string[]; body: string }

export type BareRequest =
  | { kind: 'calls'; calls: readonly BareCall[] }
  | { kind: 'run'; connectionsPerOrigin: number; underWayMax: number }

/** When the last answer arrived, by the monotonic clock. */
export type BareResult = { endedAtMs: number; refusals: number }

const originsUsed = 16
const ratioMin = 0.5
const callsPerMessage = 1_000
const owedPerTransaction = 2_000
const endDeadlineMs = 30_000

/**
 * Compares the delivery of callbacks that are already owed when the process starts with posting the same messages from
 * memory.
 */
export async function measureBacklog(bench: Bench): Promise<Comparison> {
  const { ground, settings } = bench
  const { rounds, deliveries, queue } = settings
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < rounds; round++) {
    ground.tell(`a backlog of ${deliveries}: round ${round + 1} of ${rounds}`)
    const runOurs = async () => ours.push(await deliverOwed(bench))
    const runTheirs = async () => theirs.push(await postFromMemory(bench))
    for (const run of round % 2 === 0 ? [runOurs, runTheirs] : [runTheirs, runOurs]) await run()
    ground.tell(`  ${Math.round(ours.at(-1)!)} and ${Math.round(theirs.at(-1)!)} events/s`)
  }
  return {
    scenario: `${deliveries.toLocaleString('en-GB')} callbacks owed, ${originsUsed} origins (${queue})`,
    rival: 'bare undici loop',
    measures: [{ name: 'events/s', ours, theirs, target: { sense: 'at least', ratio: ratioMin } }],
    notes: ['from the first call to the last recorded delivery; theirs to the last answer'],
  }
}

/**
 * Makes `--deliveries` callbacks owed. Returns callbacks per second. The process is new: it finds everything as after a
 * crash.
 */
export async function deliverOwed(bench: Bench): Promise<number> {
  const { ground, settings, database, receivers } = bench
  const { deliveries, seconds } = settings
  const messages = renderMessages(deliveries, receivers.origins.slice(0, originsUsed))
  await insertPrintJobs(database, messages, bench)
  for (let first = 0; first < deliveries; first += owedPerTransaction) {
    await addMessages(database, messages.slice(first, first + owedPerTransaction))
  }
  await database.pool.query('vacuum analyze print_job, callback, outbox')
  await receivers.begin([])
  const service = await startCallbacks(ground, settings)
  try {
    const arrivals = await receivers.await(deliveries, longestMs(seconds))
    const firstAtMs = firstOf(arrivals, messages)
    await allEnded(bench, endDeadlineMs)
    const endedAtMs = monotonicMs()
    if (arrivals.calls > deliveries) {
      ground.tell(`  ${arrivals.calls - deliveries} calls were made twice`)
    }
    return (deliveries * 1_000) / (endedAtMs - firstAtMs)
  } finally {
    await service.stop()
  }
}

async function postFromMemory(bench: Bench): Promise<number> {
  const { ground, settings, receivers } = bench
  const { deliveries, seconds } = settings
  const messages = renderMessages(deliveries, receivers.origins.slice(0, originsUsed))
  const loop = await ground.start('test/load/callbacks/bare-loop-main.ts')
  const ask = <Answer>(request: BareRequest) => loop.ask<Answer>(request, ground.signal)
  try {
    for (let first = 0; first < deliveries; first += callsPerMessage) {
      const calls = messages.slice(first, first + callsPerMessage).map(toBareCall)
      await ask({ kind: 'calls', calls })
    }
    await receivers.begin([])
    const { endedAtMs, refusals } = await ask<BareResult>({
      kind: 'run',
      connectionsPerOrigin: callsPerOriginMax,
      underWayMax: callsUnderWayMax,
    })
    if (refusals > 0) throw new Error(`The bare loop was refused ${refusals} times`)
    const arrivals = await receivers.await(deliveries, longestMs(seconds))
    return (deliveries * 1_000) / (endedAtMs - firstOf(arrivals, messages))
  } finally {
    await loop.stop()
  }
}

/** Builds a call with as many headers as ours, of the same lengths. */
function toBareCall({ id, origin, correlationId, body }: Message): BareCall {
  const headers = [
    ...['content-type', 'application/json'],
    ...['user-agent', 'despatch-callbacks'],
    ...['accept-encoding', 'identity'],
    ...['webhook-id', id],
    ...['webhook-timestamp', String(Math.floor(Date.now() / 1_000))],
    ...['x-correlation-id', correlationId],
    ...['webhook-signature', `v1,${randomBytes(32).toString('base64')}`],
    ...['authorization', authenticationHeader],
  ]
  return { origin, path, headers, body: body.toString() }
}

function firstOf({ arrivedAtMs }: Arrivals, messages: readonly Message[]): number {
  const arrived = messages.flatMap(({ id }) => arrivedAtMs[id] ?? [])
  if (arrived.length < messages.length) {
    throw new Error(`Only ${arrived.length} of ${messages.length} callbacks have arrived`)
  }
  return arrived.reduce((first, at) => Math.min(first, at))
}

function longestMs(seconds: number): number {
  return Math.max(120_000, seconds * 10_000)
}
