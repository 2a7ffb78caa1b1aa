import { hashPassword, verifyPassword } from '@despatch/access/passwords'
import { findFreePort } from '@despatch/embedded/free-port'
import { openDatabase } from '@despatch/store/database'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { makeConsumer } from '../consumer.ts'
import type { Ground } from '../ground.ts'
import { mark } from '../intake/load.ts'
import { latencies, loadInTurn, rates, type Target } from '../load-in-turn.ts'
import { answersTcp } from '../program.ts'
import { spread } from '../statistics.ts'

const passwordChecks = 40

/** Compares a route that checks token and API key, both already known, with the same route without the check. */
export async function measureAccess(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const database = openDatabase(ground.databaseUrl, { name: 'bench', connectionsMax: 2 })
  try {
    const { apiKey, token } = await makeConsumer(
      database.db,
      ground.environment.DESPATCH_SECRET_KEY!,
    )
    const headers = {
      authorization: token,
      'x-api-key': apiKey,
      'content-type': 'application/json',
    }
    const load = await ground.start('test/load/intake/load-main.ts', {})
    const { connections } = settings
    const rounds = await loadInTurn(ground, settings, load, {
      name: 'access',
      body: `{"number":"${mark}"}`,
      connections,
      ours: await startRoute(ground, headers, 'yes'),
      theirs: await startRoute(ground, headers, 'no'),
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
  } finally {
    await database.close()
  }
}

async function startRoute(
  { start, environment }: Ground,
  headers: Record<string, string>,
  checked: 'yes' | 'no',
): Promise<Target> {
  const port = await findFreePort()
  await start('test/load/access/route-main.ts', {
    environment: { ...environment, PORT: String(port), CHECKED: checked },
    isReady: () => answersTcp(port),
  })
  return { origin: `http://127.0.0.1:${port}`, path: '/bench/v1/route', headers }
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
