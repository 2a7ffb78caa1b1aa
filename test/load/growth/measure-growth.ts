import { Agent } from 'undici'
import { deliverOwed } from '../callbacks/measure-backlog.ts'
import { type Receivers, startReceivers } from '../callbacks/receivers.ts'
import type { Settings } from '../command-line.ts'
import type { Comparison, Measure } from '../comparison.ts'
import type { Ground } from '../ground.ts'
import type { LoadPlan, LoadResult } from '../intake/load.ts'
import { plainRequest } from '../intake/requests.ts'
import type { Program } from '../program.ts'
import { percentile, timed } from '../statistics.ts'
import { told } from './fill-system.ts'
import { measureCutOff } from './measure-cut-off.ts'
import { produceNewRun } from './produce-new-run.ts'
import { purgeOldLetters } from './purge-old-letters.ts'
import { readNow } from './read-now.ts'
import { reads } from './reads.ts'
import { removeNewLetters } from './remove-new-letters.ts'
import { openSystem, type Size, type System } from './system.ts'
import { readTableSizes, sizeFigures } from './table-sizes.ts'
import { updateLetters } from './update-letters.ts'

/** Size of the small system. Its numbers of letters relate to each other as those of the default big one. */
const smallFinished = 1_000
const smallLive = 300
const ratioMax = 1.3
/** The smallest ratio for figures where more is better. */
const rateRatioMin = 0.77
const warmUpCalls = 2
/** A slow read is called less often in a round, but at least three times. */
const readMsMax = 4_000
const callsMin = 3
const intakeConnections = 16
const warmUpRequests = 200
const callbackOrigins = 16

type Means = { agent: Agent; load: Program; settings: Settings }
/** What one round measured of one system. */
type Round = {
  /** Milliseconds of each call, by operation. */
  times: Map<string, number[]>
  /** Callbacks per second. */
  delivered: number
  intake: LoadResult
}

/**
 * Compares a system with many finished and live letters with a small one, in turn. What a round adds is removed again.
 * Then reports the sizes of the tables of the big system, and what many updates leave behind, and measures a cut-off.
 */
export async function measureGrowth(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const receivers = await startReceivers(ground)
  const load = await ground.start('test/load/intake/load-main.ts')
  const agent = new Agent({ connections: 1, headersTimeout: 120_000 })
  await using parts = new AsyncDisposableStack()
  parts.defer(() => agent.destroy())
  const open = async (size: Size, receivers: Receivers) => {
    const system = await openSystem(ground, settings, { size, receivers })
    parts.defer(() => system.stage.close())
    return system
  }
  const { finished, live } = settings
  const small = await open({ name: 'small', finished: smallFinished, live: smallLive }, receivers)
  const big = await open({ name: 'big', finished, live }, receivers)
  const sizes = { small: await sizesOf(small), big: await sizesOf(big) }

  const ours: Round[] = []
  const theirs: Round[] = []
  for (let round = 1; round <= settings.rounds; round++) {
    for (const system of round % 2 === 1 ? [small, big] : [big, small]) {
      ground.tell(`${system.name} system: round ${round} of ${settings.rounds}`)
      const rounds = system === big ? ours : theirs
      rounds.push(await measureRound(system, { agent, load, settings }))
    }
  }
  const letters = finished + live - smallFinished - smallLive
  const updates = await updateLetters(big.stage.database.pool, { updates: finished, live, ground })
  const bigName = `${told(finished)} finished and ${told(live)} live letters`
  return [
    {
      scenario: `beside ${bigName}`,
      rival: `beside ${told(smallFinished)} and ${told(smallLive)}`,
      measures: compareRounds(ours, theirs),
      notes: [
        `runs of ${told(settings.documents)}, ${told(settings.deliveries)} callbacks and ${told(settings.jobs)} requests to intake in each round`,
      ],
    },
    {
      scenario: 'size of tables and indexes',
      rival: '',
      measures: [],
      figures: letters > 0 ? sizeFigures(sizes.big, sizes.small, letters) : [],
      notes: [`the difference of both systems for each of ${told(letters)} letters`],
    },
    {
      scenario: `${told(finished)} updates of ${told(live)} letters, table print_job`,
      rival: '',
      measures: [],
      figures: updates,
      notes: [],
    },
    await measureCutOff(ground, settings),
  ]
}

function sizesOf({ stage }: System) {
  return readTableSizes(stage.database.pool)
}

async function measureRound(system: System, means: Means): Promise<Round> {
  const { pool } = system.stage.database
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now')
  const times = await timeReads(system, means.agent)
  const { withWatchMs, figuresMs } = await readNow(system, means.agent)
  times.set('Now, figures of each second', figuresMs)
  times.set('Now, with those of each minute', [withWatchMs])
  const delivered = await deliverOwed(system.bench, callbackOrigins)
  const seconds = await produceNewRun(system.stage)
  for (const [step, taken] of Object.entries(seconds))
    times.set(`${step} of a run`, [taken * 1_000])
  times.set('pass of the purge', await purgeOldLetters(system))
  const intake = await loadIntake(system, means)
  await removeNewLetters(pool, rows[0]!.now)
  return { times, delivered, intake }
}

async function timeReads(system: System, agent: Agent): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>()
  for (const { name, calls, call } of reads) {
    system.ground.signal.throwIfAborted()
    for (let number = 0; number < warmUpCalls; number++) await call(system, number, agent)
    const taken: number[] = []
    const endsAt = performance.now() + readMsMax
    while (taken.length < calls && (taken.length < callsMin || performance.now() < endsAt)) {
      const [seconds] = await timed(() => call(system, taken.length, agent))
      taken.push(seconds * 1_000)
    }
    times.set(name, taken)
  }
  return times
}

async function loadIntake(
  { intake, ground }: System,
  { load, settings }: Means,
): Promise<LoadResult> {
  const { jobs, seconds } = settings
  const connections = Math.min(settings.connections, intakeConnections)
  const run = async (firstNumber: number, requestsMax: number) => {
    const extent = { body: plainRequest, connections, seconds, requestsMax, firstNumber }
    const plan = { ...intake, ...extent } satisfies LoadPlan
    const result = await load.ask<LoadResult>(plan, ground.signal)
    if (Object.keys(result.refusals).length === 0) return result
    throw new Error(`Intake refused: ${JSON.stringify(result.refusals)}`)
  }
  await run(1, warmUpRequests)
  return run(1 + warmUpRequests, jobs)
}

function compareRounds(ours: readonly Round[], theirs: readonly Round[]): Measure[] {
  const measure = (name: string, of: (round: Round) => number) => ({
    name,
    ours: ours.map(of),
    theirs: theirs.map(of),
  })
  const atMost = (name: string, of: (round: Round) => number): Measure => ({
    ...measure(name, of),
    target: { sense: 'at most', ratio: ratioMax },
  })
  const atLeast = (name: string, of: (round: Round) => number): Measure => ({
    ...measure(name, of),
    target: { sense: 'at least', ratio: rateRatioMin },
  })
  const times = [...ours[0]!.times].flatMap(([name, { length: calls }]) => {
    const percentileOf = (percent: number) => (round: Round) =>
      percentile(
        round.times.get(name)!.toSorted((a, b) => a - b),
        percent,
      )
    if (calls === 1) return [atMost(`${name}, ms`, percentileOf(50))]
    return [50, 99].map((percent) => atMost(`${name}, p${percent}, ms`, percentileOf(percent)))
  })
  return [
    atMost('intake, p50, ms', ({ intake }) => intake.p50Ms),
    atMost('intake, p99, ms', ({ intake }) => intake.p99Ms),
    atLeast('intake, requests/s', ({ intake }) => intake.requests / intake.seconds),
    ...times,
    atLeast('callbacks/s', ({ delivered }) => delivered),
  ]
}
