import { hashPassword, verifyPassword } from '@despatch/access/passwords'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { makeConsumer } from '../consumer.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { mark } from '../intake/load.ts'
import { latencies, loadInTurn, rates } from '../load-in-turn.ts'
import { spread } from '../statistics.ts'

const passwordChecks = 40

/** Compares a route that checks token and API key, both already known, with the same route without the check. */
export function measureAccess(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 2 }, async ({ db }) => {
    const { headers } = await makeConsumer(db, ground)
    const startRoute = async (CHECKED: 'yes' | 'no') => {
      const script = 'test/load/access/route-main.ts'
      const { origin } = await ground.serve(script, { environment: { CHECKED } })
      return { origin, path: '/bench/v1/route', headers }
    }
    const load = await ground.start('test/load/intake/load-main.ts')
    const { connections } = settings
    const rounds = await loadInTurn(ground, settings, load, {
      name: 'access',
      body: `{"number":"${mark}"}`,
      connections,
      ours: await startRoute('yes'),
      theirs: await startRoute('no'),
    })
    return [
      {
        scenario: `checked requests, ${connections} connections`,
        rival: 'no check',
        measures: [
          { ...rates(rounds), target: { sense: 'at least', ratio: 0.85 } },
          latencies(rounds, 'p50Ms', 'p50 ms'),
          latencies(rounds, 'p99Ms', 'p99 ms'),
        ],
        notes: [await describePasswordCheck()],
      },
    ]
  })
}

/** Measures the cost of signing in, apart from its two statements: one check of an argon2id hash. */
async function describePasswordCheck(): Promise<string> {
  const hash = await hashPassword('Pa$$word1')
  const milliseconds: number[] = []
  for (let check = 0; check < passwordChecks; check++) {
    const startedAt = performance.now()
    await verifyPassword(hash, 'Pa$$word1')
    milliseconds.push(performance.now() - startedAt)
  }
  const [, algorithm, , parameters] = hash.split('$')
  const { median, min, max } = spread(milliseconds)
  const figures = [median, min, max].map((figure) => figure.toFixed(1))
  return `one password check, ${algorithm} ${parameters}: ${figures[0]} ms (${figures[1]} to ${figures[2]})`
}
