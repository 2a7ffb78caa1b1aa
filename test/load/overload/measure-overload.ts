import { eventually } from '@despatch/testing/eventually'
import type { Settings } from '../command-line.ts'
import type { Comparison, Figure } from '../comparison.ts'
import { type Ground, withDatabase } from '../ground.ts'
import type { LoadPlan, LoadResult } from '../intake/load.ts'
import { startIntake } from '../intake/measure-intake.ts'
import { plainRequest } from '../intake/requests.ts'
import { readMemory, watchMemory } from '../memory.ts'
import type { OpenLoadPlan, OpenLoadResult } from './open-load-main.ts'

const warmUpSeconds = 5
const sustainedSeconds = 10
const beforeSeconds = 15
const afterSeconds = 60
const numbersOfPhase = 10_000_000
const requestsMax = 1_000_000
const settleDeadlineMs = 30 * 60 * 1000

/** The guarantees at twice the rate that intake sustains. */
const targets = { acceptedShareMin: 0.5, p99MsMax: 2_000, grownMebibytesMax: 256, p99RatioMax: 3 }

/**
 * Finds the rate that intake sustains. Then offers half of that rate, twice that rate for `--seconds`, and half of it
 * for a minute. Then waits until the pipeline has made every accepted letter PENDING.
 */
export function measureOverload(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const { signal, tell } = ground
  return withDatabase(ground, { connectionsMax: 2 }, async (database) => {
    const quiet = { LOG_LEVEL: 'warn' }
    const { program: intake, ...found } = await startIntake(ground, settings, database, quiet)
    const target = { ...found.target, body: plainRequest }
    let accepted = 0
    let phase = 0
    const nextNumber = () => ++phase * numbersOfPhase

    const closed = await ground.start('test/load/intake/load-main.ts')
    const sustain = async (seconds: number) => {
      const { connections } = settings
      const plan = { ...target, connections, seconds, requestsMax, firstNumber: nextNumber() }
      const result = await closed.ask<LoadResult>(plan satisfies LoadPlan, signal)
      accepted += result.requests
      return result.requests / result.seconds
    }
    tell('warming up, then looking for the rate that is sustained')
    await sustain(warmUpSeconds)
    const sustained = await sustain(sustainedSeconds)
    await closed.stop()

    const open = await ground.start('test/load/overload/open-load-main.ts')
    const offer = async (requestsPerSecond: number, seconds: number) => {
      tell(`offering ${Math.round(requestsPerSecond)} requests per second for ${seconds} s`)
      const plan = { ...target, requestsPerSecond, seconds, firstNumber: nextNumber() }
      const result = await open.ask<OpenLoadResult>(plan satisfies OpenLoadPlan, signal)
      accepted += result.accepted
      tell(describe(result))
      return result
    }
    const before = await offer(sustained / 2, beforeSeconds)
    const rssBefore = (await readMemory(intake.pid)) ?? Number.NaN
    const watch = watchMemory(intake.pid)
    const during = await offer(sustained * 2, settings.seconds)
    const rssPeak = watch.stop().mebibytesMax ?? Number.NaN
    const after = await offer(sustained / 2, afterSeconds)
    const rssAfter = (await readMemory(intake.pid)) ?? Number.NaN
    await open.stop()

    const mebibytes = [rssBefore, rssPeak, rssAfter].map(Math.round).join(', ')
    tell(`  resident before, at most, after: ${mebibytes} MiB`)
    tell('waiting until every accepted letter is PENDING')
    await ground.serve('services/pipeline/src/main.ts', {
      environment: { ...quiet, DESPATCH_PRINT_RUN_AGE_MS: '86400000' },
    })
    const count = async (condition: string) => {
      const { rows } = await database.pool.query(
        `select count(*)::int as count from print_job where ${condition}`,
      )
      return rows[0].count as number
    }
    await eventually(async () => (await count(`status in ('QUARANTINE', 'VALIDATING')`)) === 0, {
      deadlineMs: settleDeadlineMs,
      pollMs: 1_000,
      message: 'no letter is being checked',
    })
    const lost = accepted - (await count(`status not in ('QUARANTINE', 'VALIDATING', 'REJECTED')`))

    const figure = (name: string, value: number, wanted?: Figure['target']): Figure => ({
      name,
      ours: [value],
      ...(wanted && { target: wanted }),
    })
    const atMost = (limit: number) => ({ sense: 'at most', figure: limit }) as const
    return [
      {
        scenario: `twice the sustained rate for ${settings.seconds} s`,
        rival: '',
        measures: [],
        figures: [
          figure('sustained, requests/s', sustained),
          figure('accepted during, requests/s', during.accepted / during.seconds),
          figure(
            'accepted during, share of sustained',
            during.accepted / during.seconds / sustained,
            {
              sense: 'at least',
              figure: targets.acceptedShareMin,
            },
          ),
          figure('shed during, requests/s', during.shed / during.seconds),
          figure('shed before', before.shed, atMost(0)),
          figure('shed in the minute after', after.shed, atMost(0)),
          figure('p50 of accepted before, ms', before.p50Ms),
          figure('p99 of accepted before, ms', before.p99Ms),
          figure('p50 of accepted during, ms', during.p50Ms),
          figure('p99 of accepted during, ms', during.p99Ms, atMost(targets.p99MsMax)),
          figure('p50 of accepted after, ms', after.p50Ms),
          figure('p99 of accepted after, ms', after.p99Ms),
          figure('p99 after to before', after.p99Ms / before.p99Ms, atMost(targets.p99RatioMax)),
          figure('resident memory before, MiB', rssBefore),
          figure(
            'resident memory at most, MiB',
            rssPeak,
            atMost(rssBefore + targets.grownMebibytesMax),
          ),
          figure('resident memory after, MiB', rssAfter),
          figure('accepted letters that are not PENDING', lost, atMost(0)),
        ],
        notes: [
          `accepted in all: ${accepted}`,
          `other answers before, during, after: ${[before, during, after].map(({ others }) => JSON.stringify(others)).join(' ')}`,
        ],
      },
    ]
  })
}

function describe({ accepted, shed, others, p50Ms, p99Ms, seconds }: OpenLoadResult): string {
  const rate = (count: number) => `${Math.round(count / seconds)}/s`
  return `  accepted ${rate(accepted)}, shed ${rate(shed)}, others ${JSON.stringify(others)}; p50 ${Math.round(p50Ms)} ms, p99 ${Math.round(p99Ms)} ms`
}
