import { setTimeout as pause } from 'node:timers/promises'
import type { Comparison } from '../comparison.ts'
import { monotonicMs, percentile } from '../statistics.ts'
import { addMessages, insertPrintJobs, type Message, renderMessages } from './add-messages.ts'
import type { Bench } from './bench-parts.ts'
import { startCallbacks } from './callbacks-side.ts'
import type { Manner } from './receivers.ts'

const healthyOrigins = 15
const troubledOrigins = 2
const healthyPerSecond = 500
/** The number of messages that become owed in one transaction. */
const messagesTogether = 5
/** The rate for each of the two troubled origins, until the load ends. */
const troublePerSecond = 50
const warmUpSeconds = 3
const changeMax = 1.1
const arrivalDeadlineMs = 15_000

type Lateness = { p50Ms: number; p99Ms: number; callsOfOthers: number }

/**
 * Applies a steady load to healthy origins, alone and beside one origin that never answers and one that takes ten
 * seconds. Measures how long after the beginning of its commit a callback arrives at a healthy origin.
 */
export async function measureIsolation(bench: Bench): Promise<Comparison> {
  const { ground, settings } = bench
  const { rounds, seconds, queue } = settings
  const beside: Lateness[] = []
  const without: Lateness[] = []
  for (let round = 0; round < rounds; round++) {
    ground.tell(`a steady load: round ${round + 1} of ${rounds}`)
    const runBeside = async () => beside.push(await load(bench, { hasTrouble: true }))
    const runWithout = async () => without.push(await load(bench, { hasTrouble: false }))
    for (const run of round % 2 === 0 ? [runWithout, runBeside] : [runBeside, runWithout]) {
      await run()
    }
    const [one, other] = [beside.at(-1)!, without.at(-1)!]
    ground.tell(`  p99 ${one.p99Ms.toFixed(1)} ms beside them, ${other.p99Ms.toFixed(1)} without`)
  }
  const measure = (name: string, of: (lateness: Lateness) => number) => ({
    name,
    ours: beside.map(of),
    theirs: without.map(of),
  })
  return {
    scenario: `${healthyPerSecond} callbacks/s to ${healthyOrigins} origins beside a dead and a slow one (${queue})`,
    rival: 'the same without these',
    measures: [
      measure('commit to arrival, p50, ms', ({ p50Ms }) => p50Ms),
      {
        ...measure('commit to arrival, p99, ms', ({ p99Ms }) => p99Ms),
        target: { sense: 'at most', ratio: changeMax },
      },
    ],
    notes: [
      `${seconds} s each; ${troublePerSecond} callbacks/s for each of the two, which were called ${beside.map(({ callsOfOthers }) => callsOfOthers).join(', ')} times`,
    ],
  }
}

async function load(bench: Bench, { hasTrouble }: { hasTrouble: boolean }): Promise<Lateness> {
  const { ground, settings, database, receivers } = bench
  const healthy = receivers.origins.slice(0, healthyOrigins)
  const trouble = receivers.origins.slice(healthyOrigins, healthyOrigins + troubledOrigins)
  const loadSeconds = warmUpSeconds + settings.seconds
  const messages = renderMessages(loadSeconds * healthyPerSecond, healthy)
  const others = hasTrouble
    ? renderMessages(loadSeconds * troublePerSecond * trouble.length, trouble)
    : []
  await insertPrintJobs(database, [...messages, ...others], bench)
  await database.pool.query('vacuum analyze print_job, callback, callback_origin')
  const manners: Manner[] = [...healthy.map(() => 'healthy' as const), 'dead', 'slow']
  await receivers.begin(manners)
  const service = await startCallbacks(ground, settings)
  try {
    const [committedAtMs] = await Promise.all([
      addSteadily(bench, messages, loadSeconds),
      addSteadily(bench, others, loadSeconds),
    ])
    const { arrivedAtMs, calls } = await receivers.await(messages.length, arrivalDeadlineMs)
    const measured = messages.slice(warmUpSeconds * healthyPerSecond)
    const latenessMs = measured.map(({ id }) => arrivedAtMs[id]! - committedAtMs.get(id)!)
    if (latenessMs.some(Number.isNaN)) throw new Error('Some callbacks have not arrived')
    latenessMs.sort((a, b) => a - b)
    return {
      p50Ms: percentile(latenessMs, 50),
      p99Ms: percentile(latenessMs, 99),
      callsOfOthers: calls - messages.length,
    }
  } finally {
    // Hang up on callers that still wait for an answer, so that the process ends soon.
    await receivers.begin([])
    await service.stop()
    await database.pool.query(
      `update callback set state = 'DEAD', end_reason = 'window-ended', due_at = null, ended_at = now()
      where state = 'DUE'`,
    )
    await database.pool.query('delete from callback_origin')
  }
}

/** Makes messages owed at a steady rate, however long a commit takes. Returns when the commit of each message began. */
async function addSteadily(
  { database, ground: { signal } }: Bench,
  messages: readonly Message[],
  seconds: number,
): Promise<Map<string, number>> {
  const begunAtMs = new Map<string, number>()
  const startedAt = performance.now()
  const underWay: Promise<void>[] = []
  for (let first = 0; first < messages.length; first += messagesTogether) {
    const dueAt = startedAt + (first / messages.length) * seconds * 1_000
    if (dueAt > performance.now()) await pause(dueAt - performance.now(), undefined, { signal })
    const some = messages.slice(first, first + messagesTogether)
    underWay.push(
      addMessages(database, some, () => {
        for (const { id } of some) begunAtMs.set(id, monotonicMs())
      }),
    )
  }
  await Promise.all(underWay)
  return begunAtMs
}
