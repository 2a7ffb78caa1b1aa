import type { Comparison } from '../comparison.ts'
import { shuffled } from '../shuffled.ts'
import { monotonicMs } from '../statistics.ts'
import { addMessages, insertPrintJobs, renderMessages } from './add-messages.ts'
import { allEnded, type Bench, checkArrivals, longestMs } from './bench-parts.ts'
import { startCallbacks } from './callbacks-side.ts'
import { deliverByRival, prepareRivals, type RivalName } from './rivals.ts'

type Target = { origins: number; rival: RivalName; ratioMin?: number }

/** The required ratios of ours to the rivals. Absent: the figures are only shown. */
const targets: readonly Target[] = [
  { origins: 16, rival: 'bare undici loop', ratioMin: 0.42 },
  { origins: 16, rival: 'BullMQ on Redis', ratioMin: 2.2 },
  { origins: 16, rival: 'pg-boss', ratioMin: 1.9 },
  { origins: 16, rival: 'BullMQ on PostgreSQL', ratioMin: 6 },
  { origins: 1, rival: 'bare undici loop', ratioMin: 0.3 },
  { origins: 1, rival: 'BullMQ on Redis' },
  { origins: 1, rival: 'pg-boss' },
  { origins: 1, rival: 'BullMQ on PostgreSQL' },
  { origins: 1_000, rival: 'bare undici loop', ratioMin: 0.33 },
]
const owedPerTransaction = 2_000
const endDeadlineMs = 30_000

/**
 * Compares the delivery of callbacks that are already owed when the process starts with the rivals. Redis may be absent.
 */
export async function measureBacklog(bench: Bench): Promise<Comparison[]> {
  await prepareRivals(bench)
  const possible = targets.filter(({ rival }) => rival !== 'BullMQ on Redis' || bench.ground.redis)
  const comparisons: Comparison[] = []
  for (const [origins, some] of Map.groupBy(possible, (target) => target.origins)) {
    const rates = await runRounds(bench, origins, ['ours', ...some.map(({ rival }) => rival)])
    comparisons.push(...some.map((target) => compare(bench, target, rates)))
  }
  return comparisons
}

type Side = 'ours' | RivalName

/** Returns the callbacks per second of each round. */
async function runRounds(
  bench: Bench,
  origins: number,
  sides: readonly Side[],
): Promise<Map<Side, number[]>> {
  const { tell } = bench.ground
  const { rounds, deliveries } = bench.settings
  const rates = new Map<Side, number[]>(sides.map((side) => [side, []]))
  for (let round = 1; round <= rounds; round++) {
    tell(`a backlog of ${deliveries}, origins: ${origins}: round ${round} of ${rounds}`)
    for (const side of shuffled(sides)) {
      const rate = await (side === 'ours'
        ? deliverOwed(bench, origins)
        : deliverByRival(bench, side, origins))
      rates.get(side)!.push(rate)
      tell(`  ${side}: ${Math.round(rate)} events/s`)
    }
  }
  return rates
}

function compare(
  { settings: { deliveries, queue } }: Bench,
  { origins, rival, ratioMin }: Target,
  rates: ReadonlyMap<Side, number[]>,
): Comparison {
  const measure = { name: 'events/s', ours: rates.get('ours')!, theirs: rates.get(rival)! }
  const [owed, among] = [deliveries, origins].map((count) => count.toLocaleString('en-GB'))
  return {
    scenario: `${owed} callbacks owed, origins: ${among} (${queue})`,
    rival,
    measures: [
      ratioMin === undefined
        ? measure
        : { ...measure, target: { sense: 'at least', ratio: ratioMin } },
    ],
    notes: [],
  }
}

/**
 * Makes `--deliveries` callbacks owed. Returns callbacks per second, from the first call to the last recorded delivery.
 * The process is new: it finds everything as after a crash.
 */
export async function deliverOwed(bench: Bench, originsUsed: number): Promise<number> {
  const { ground, settings, database, receivers } = bench
  const { deliveries } = settings
  const messages = renderMessages(deliveries, receivers.origins.slice(0, originsUsed))
  await insertPrintJobs(database, messages, bench)
  for (let first = 0; first < deliveries; first += owedPerTransaction) {
    await addMessages(database, messages.slice(first, first + owedPerTransaction))
  }
  await database.pool.query('vacuum analyze print_job, callback')
  await receivers.begin([], { keepsCalls: true })
  const service = await startCallbacks(ground, settings)
  try {
    const arrivals = await receivers.await(deliveries, longestMs(settings))
    await allEnded(bench, endDeadlineMs)
    const endedAtMs = monotonicMs()
    const firstAtMs = await checkArrivals(bench, arrivals, messages)
    if (arrivals.calls > deliveries) {
      ground.tell(`  ${arrivals.calls - deliveries} calls were made twice`)
    }
    return (deliveries * 1_000) / (endedAtMs - firstAtMs)
  } finally {
    await service.stop()
  }
}
