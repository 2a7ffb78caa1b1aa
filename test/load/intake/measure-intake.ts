import type { Database } from '@despatch/store/database'
import { profileFlags, type Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { makeConsumer } from '../consumer.ts'
import { openCosts } from '../cost.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { costs, latencies, loadInTurn, type Round, rates } from '../load-in-turn.ts'
import { readMemory, reportMemory, watchMemory } from '../memory.ts'
import { pdfRequest, plainRequest } from './requests.ts'

/** The same pool size on both sides: that of the intake service. */
const CONNECTIONS_MAX = '8'
/** Each connection holds a body of 2.8 MB on both sides. */
const pdfConnectionsMax = 8
/** The bodies of one caller are read at 16 MiB a second, so the files come from several. */
const pdfCallers = 16

/** Compares intake with a bare route, without files and with a PDF file of 2 MiB in each request. */
export function measureIntake(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 2 }, async (database) => {
    const ours = await startIntake(ground, settings, database)
    const load = await ground.start('test/load/intake/load-main.ts')
    const { connections } = settings

    await makeBareTable(database)
    const bareInsert = await startBare(ground, 'test/load/intake/bare-insert-main.ts')
    const plain = await loadInTurn(ground, settings, load, {
      name: 'no files',
      body: plainRequest,
      connections,
      ours: ours.target,
      theirs: bareInsert.target,
      costs: {
        ours: await openCosts(database.pool, { service: ours.program.pid }),
        theirs: await openCosts(database.pool, { service: bareInsert.program.pid }),
      },
    })
    await bareInsert.program.stop()

    const barePut = await startBare(ground, 'test/load/intake/bare-put-main.ts')
    const watch = watchMemory(ours.program.pid)
    const pdfConnections = Math.min(connections, pdfConnectionsMax)
    const pdf = await loadInTurn(ground, settings, load, {
      name: 'PDF of 2 MiB',
      body: pdfRequest(),
      connections: pdfConnections,
      ours: { ...ours.target, headersInTurn: await makeCallers(ground, database) },
      theirs: barePut.target,
      afterOurs: () => readMemory(ours.program.pid),
    })
    const { mebibytesMax } = watch.stop()
    return [comparePlain(plain, connections), comparePdf(pdf, mebibytesMax, pdfConnections)]
  })
}

/** Starts intake. Returns where print jobs are submitted, and on behalf of whom. */
export async function startIntake(
  ground: Ground,
  settings: Settings,
  { db }: Database,
  environment: Record<string, string> = {},
) {
  const { consumerId, headers } = await makeConsumer(db, ground)
  const { program, origin } = await ground.serve('services/print-request/src/main.ts', {
    environment,
    nodeFlags: profileFlags(settings),
  })
  const target = { origin, path: '/print-request/v1/print/jobs', headers }
  return { program, target, consumerId }
}

/** Returns the headers of each caller that sends files. */
async function makeCallers(ground: Ground, { db }: Database) {
  const callers = []
  for (let number = 1; number <= pdfCallers; number++) {
    const { headers } = await makeConsumer(db, ground, `bench-consumer-${number}`)
    callers.push(headers)
  }
  return callers
}

async function startBare({ serve }: Ground, script: string) {
  const { program, origin } = await serve(script, { environment: { CONNECTIONS_MAX } })
  const headers = { 'content-type': 'application/json' }
  return { program, target: { origin, path: '/jobs', headers } }
}

async function makeBareTable({ pool }: Database): Promise<void> {
  await pool.query('create schema bench')
  await pool.query(`create table bench.bare_job (
    id bigint generated always as identity primary key, body jsonb not null)`)
}

function comparePlain(rounds: readonly Round[], connections: number): Comparison {
  return {
    scenario: `no files, ${connections} connections`,
    rival: 'bare INSERT',
    measures: [
      { ...rates(rounds), target: { sense: 'at least', ratio: 1.3 } },
      latencies(rounds, 'p50Ms', 'p50 ms'),
      { ...latencies(rounds, 'p99Ms', 'p99 ms'), target: { sense: 'at most', ratio: 1.5 } },
      ...costs(rounds),
    ],
    notes: [],
  }
}

function comparePdf(
  rounds: readonly Round[],
  mebibytesMax: number | undefined,
  connections: number,
): Comparison {
  const figures = [rounds[0]?.mebibytes, rounds.at(-1)?.mebibytes, mebibytesMax]
  const [first, last, max] = figures.map(reportMemory)
  return {
    scenario: `PDF of 2 MiB, ${connections} connections`,
    rival: 'parse, decode, PUT',
    measures: [
      { ...rates(rounds), target: { sense: 'at least', ratio: 0.7 } },
      latencies(rounds, 'p50Ms', 'p50 ms'),
      latencies(rounds, 'p99Ms', 'p99 ms'),
    ],
    notes: [
      `memory of our process: ${first} after the first round, ${last} after the last, ${max} at most`,
    ],
  }
}
