import type { Settings } from './command-line.ts'
import type { Measure } from './comparison.ts'
import { type Cost, type CostReader, costBetween } from './cost.ts'
import type { Ground } from './ground.ts'
import type { LoadPlan, LoadResult } from './intake/load.ts'
import type { Program } from './program.ts'

export type Target = Pick<LoadPlan, 'origin' | 'path' | 'headers' | 'headersInTurn'>
/** A side without HTTP: a separate program generates its load, of the same extent. */
export type OtherTarget = { load: Program } & Pick<LoadPlan, 'body'>
export type Scenario = Pick<LoadPlan, 'body' | 'connections'> & {
  name: string
  ours: Target | OtherTarget
  theirs: Target | OtherTarget
  warmUpSeconds?: number
  /** Reads the memory of our process, in MiB. */
  afterOurs?: () => Promise<number | undefined>
  /** Reads what the processes of a side have used. */
  costs?: { ours: CostReader; theirs: CostReader }
}
/** What a side did in one round. `cost`: of each request. */
export type SideResult = LoadResult & { cost?: Cost }
export type Round = { ours: SideResult; theirs: SideResult; mebibytes?: number | undefined }

const warmUpSecondsDefault = 4
const requestsMax = 1_000_000

/**
 * Loads both sides in turn, after a warm-up that does not count. The side that begins alternates. Throws if any request
 * is refused.
 */
export async function loadInTurn(
  { signal, tell }: Ground,
  { rounds, seconds }: Settings,
  load: Program,
  scenario: Scenario,
): Promise<Round[]> {
  const { name, body, connections, afterOurs, costs } = scenario
  const { warmUpSeconds = warmUpSecondsDefault } = scenario
  let firstNumber = 1
  async function run(side: 'ours' | 'theirs', loadSeconds: number): Promise<SideResult> {
    const extent = { body, connections, seconds: loadSeconds, requestsMax, firstNumber }
    const before = await costs?.[side]()
    const result = await askForLoad(scenario[side], extent)
    const after = await costs?.[side]()
    firstNumber += result.requests
    if (Object.keys(result.refusals).length > 0) {
      throw new Error(`${name}: there were answers of ${JSON.stringify(result.refusals)}`)
    }
    return before && after
      ? { ...result, cost: costBetween(before, after, result.requests) }
      : result
  }
  function askForLoad(target: Target | OtherTarget, extent: Omit<LoadPlan, keyof Target>) {
    if ('load' in target) {
      return target.load.ask<LoadResult>({ ...extent, body: target.body }, signal)
    }
    return load.ask<LoadResult>({ ...target, ...extent } satisfies LoadPlan, signal)
  }

  tell(`${name}: warming up`)
  await run('ours', warmUpSeconds)
  await run('theirs', warmUpSeconds)
  const measured: Round[] = []
  for (let round = 1; round <= rounds; round++) {
    tell(`${name}: round ${round} of ${rounds}`)
    const runOurs = async () => ({
      ours: await run('ours', seconds),
      mebibytes: await afterOurs?.(),
    })
    const runTheirs = async () => ({ theirs: await run('theirs', seconds) })
    measured.push(
      round % 2 === 1
        ? { ...(await runOurs()), ...(await runTheirs()) }
        : { ...(await runTheirs()), ...(await runOurs()) },
    )
  }
  return measured
}

/** Compares the requests answered per second. */
export function rates(rounds: readonly Round[]) {
  const rate = ({ requests, seconds }: LoadResult) => requests / seconds
  return {
    name: 'requests/s',
    ours: rounds.map(({ ours }) => rate(ours)),
    theirs: rounds.map(({ theirs }) => rate(theirs)),
  }
}

/** Compares a latency, in milliseconds. */
export function latencies(rounds: readonly Round[], figure: 'p50Ms' | 'p99Ms', name: string) {
  return {
    name,
    ours: rounds.map(({ ours }) => ours[figure]),
    theirs: rounds.map(({ theirs }) => theirs[figure]),
  }
}

/** Compares what a request costs each of the processes of both sides, in milliseconds of processor time. */
export function costs(rounds: readonly Round[]): Measure[] {
  const ofProcess =
    (name: string) =>
    ({ cost }: SideResult) =>
      cost!.cpuMs[name]!
  return Object.keys(rounds[0]!.ours.cost!.cpuMs).map((process) => ({
    name: `CPU ms, ${process}`,
    ours: rounds.map(({ ours }) => ofProcess(process)(ours)),
    theirs: rounds.map(({ theirs }) => ofProcess(process)(theirs)),
  }))
}
