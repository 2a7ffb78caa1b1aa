import type { Database } from '@despatch/store/database'
import { allEnded } from '../callbacks/bench-parts.ts'
import type { Arrivals } from '../callbacks/receivers.ts'
import type { Settings } from '../command-line.ts'
import type { Comparison, Figure } from '../comparison.ts'
import { type Cost, costBetween, cpuFigures, openCosts } from '../cost.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { readFamilyMemory, readPeakMemory, watchMemory } from '../memory.ts'
import { openObjects } from '../open-objects.ts'
import { monotonicMs } from '../statistics.ts'
import { countFailures } from './check-day.ts'
import type { PrintResult, SendResult } from './day.ts'
import { type Day, openDay } from './open-day.ts'
import { largeObjectRemover } from './remove-large-objects.ts'
import { watchDay } from './watch-day.ts'

const postgresSampleMs = 1_000
/** A callback that was received is recorded a moment later. */
const recordMsMax = 60_000
const secondsPerHour = 3_600
const kibibyte = 1024
const loadGenerators = ['senders', 'provider', 'receivers']

type Work = {
  sent: SendResult
  printed: PrintResult
  arrivals: Arrivals
  /** From the first request to the last callback. */
  seconds: number
}

/**
 * Sends letters with files through the whole system over HTTP, from authenticating until the last callback is received:
 * six senders at their usage plan, and a provider that prints what is released.
 */
export function measureDay(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 2 }, async (database) => {
    const { pool } = database
    const day = await openDay(ground, settings, database)
    const { letters } = settings
    const readCosts = await openCosts(pool, {
      ...Object.fromEntries(Object.entries(day.programs).map(([name, { pid }]) => [name, pid])),
      senders: day.sender.pid,
      provider: day.provider.pid,
      receivers: day.receivers.pid,
    })
    const before = await readCosts()
    const postgresMemory = watchMemory(day.postgresPid, {
      read: readFamilyMemory,
      everyMs: postgresSampleMs,
    })
    const work = await passDay(ground, settings, { day, database })
    const cost = costBetween(before, await readCosts(), letters)
    const memory: Figure[] = [
      ...(await Promise.all(
        Object.entries(day.programs).map(async ([name, { pid }]) =>
          memoryFigure(name, await readPeakMemory(pid)),
        ),
      )),
      memoryFigure('PostgreSQL', postgresMemory.stop().mebibytesMax),
    ]
    const failures = await countFailures(pool, { letters, arrivals: work.arrivals })
    return [
      {
        scenario: `${letters.toLocaleString('en-GB')} letters, queues on ${settings.queue}`,
        rival: '',
        measures: [],
        figures: [...speedFigures(work, letters), ...costFigures(cost), ...memory, ...failures],
        notes: describe(work, day, letters),
      },
    ]
  })
}

/** Sends, prints and receives until all is done. Throws if anything fails, or after `--seconds`. */
async function passDay(
  ground: Ground,
  { letters, seconds }: Settings,
  { day, database }: { day: Day; database: Database },
): Promise<Work> {
  const { sender, provider, receivers, sendPlan, printPlan } = day
  const ended = new AbortController()
  const deadline = AbortSignal.timeout(seconds * 1_000)
  const signal = AbortSignal.any([ground.signal, deadline, ended.signal])
  const objects = openObjects(ground.environment)
  await receivers.begin([])
  const startedAtMs = monotonicMs()
  const working = Promise.all([
    sender.ask<SendResult>(sendPlan, signal),
    provider.ask<PrintResult>(printPlan, signal),
    receivers.await(letters, seconds * 1_000),
  ])
  const watching = watchDay(ground, database.pool, {
    tidy: largeObjectRemover(database.pool, objects),
    signal,
  })
  // whichever fails first ends the other
  working.catch(() => {})
  watching.catch(() => {})
  try {
    const [sent, printed, arrivals] = await Promise.race([working, watching])
    await allEnded({ database, ground }, recordMsMax)
    const lastAtMs = Object.values(arrivals.arrivedAtMs).reduce((last, at) => Math.max(last, at))
    return { sent, printed, arrivals, seconds: (lastAtMs - startedAtMs) / 1_000 }
  } catch (cause) {
    if (!deadline.aborted) throw cause
    throw new Error(`The day took longer than ${seconds} s`, { cause })
  } finally {
    ended.abort()
    await Promise.allSettled([working, watching])
    objects.close()
  }
}

function speedFigures({ sent, seconds }: Work, letters: number): Figure[] {
  const perHour = (taken: number) => [(letters * secondsPerHour) / taken]
  return [
    { name: 'letters/h, to the last callback', ours: perHour(seconds) },
    { name: 'letters/h, accepted', ours: perHour(sent.seconds) },
    { name: 'sending a letter, p50, ms', ours: [sent.p50Ms] },
    { name: 'sending a letter, p99, ms', ours: [sent.p99Ms] },
  ]
}

/** The load generators run on the same machine, and are not part of the sum. */
function costFigures(cost: Cost): Figure[] {
  const isLoad = (name: string) => loadGenerators.includes(name)
  const of = (keep: (name: string) => boolean): Cost => ({
    ...cost,
    cpuMs: Object.fromEntries(Object.entries(cost.cpuMs).filter(([name]) => keep(name))),
  })
  return [
    ...cpuFigures('of the system', [of((name) => !isLoad(name))]),
    ...cpuFigures('of the load', [of(isLoad)]),
  ]
}

function memoryFigure(name: string, mebibytes: number | undefined): Figure {
  return { name: `memory at most, MiB, ${name}`, ours: [mebibytes ?? Number.NaN] }
}

function describe({ sent, printed, arrivals }: Work, { bytes }: Day, letters: number): string[] {
  const kibibytes = (size: number) => `${Math.round(size / kibibyte).toLocaleString('en-GB')} KiB`
  const { runs, documents, bytes: fetched } = printed
  return [
    `files of ${kibibytes(bytes.small)}, each tenth of ${kibibytes(bytes.large)}`,
    `${runs} runs of ${documents} documents, ${kibibytes(fetched)} fetched`,
    `requests refused and sent again: ${JSON.stringify(sent.refusals)}`,
    `${arrivals.calls - letters} callbacks were received again`,
  ]
}
