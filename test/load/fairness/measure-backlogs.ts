import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { mark } from '../intake/load.ts'
import { startIntake } from '../intake/measure-intake.ts'
import { plainRequest } from '../intake/requests.ts'
import {
  letter,
  openSender,
  type Sender,
  saveAtOnce,
  startService,
} from '../pipeline/our-pipeline.ts'
import { percentile } from '../statistics.ts'

const backlog = 20_000
const rivals = 20
const ratioMax = 3
const warmUpSeconds = 5
const pollMs = 10
const pendingDeadlineMs = 60_000

type Bench = { ground: Ground; settings: Settings; database: Database; post: () => Promise<number> }

/**
 * Measures how long letters of a consumer that posts one per second take to PENDING: without other letters, behind
 * 20,000 of another consumer, and behind 20 more consumers. The backlogs are not worked off.
 */
export function measureBacklogs(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 8 }, async (database) => {
    const busy: Sender[] = []
    for (let number = 0; number <= rivals; number++) {
      busy.push(await openSender(ground, database, `busy-consumer-${number}`))
    }
    const intake = await startIntake(ground, settings, database, { LOG_LEVEL: 'warn' })
    const pipeline = await startService(ground, settings)
    const post = openPost(ground, database, intake)
    const bench = { ground, settings, database, post }

    await timesToPending(bench, warmUpSeconds)
    const idle = await measureRounds(bench, 'idle', [])
    const behindOne = await measureRounds(bench, 'behind one consumer', busy.slice(0, 1))
    const behindMany = await measureRounds(bench, `beside ${rivals} more`, busy.slice(1))
    await Promise.all([intake.program, pipeline].map((program) => program.stop()))
    const compare = (scenario: string, { rounds, waited }: typeof idle): Comparison => ({
      scenario: `accepted to PENDING, one letter per second, ${scenario}`,
      rival: 'the same, idle',
      measures: [50, 95].map((percent) => ({
        name: `p${percent}, ms`,
        ours: rounds.map((each) => percentile(each, percent)),
        theirs: idle.rounds.map((each) => percentile(each, percent)),
        ...(percent === 95 && { target: { sense: 'at most', ratio: ratioMax } as const }),
      })),
      notes: [`letters that still waited at the end of each round: ${waited.join(', ')}`],
    })
    return [
      compare(`behind ${backlog} of another consumer`, behindOne),
      compare(`and beside ${rivals} more with ${backlog / rivals} each`, behindMany),
    ]
  })
}

/** Before each round the backlog of the busy consumers is made complete. */
async function measureRounds(bench: Bench, name: string, busy: readonly Sender[]) {
  const { settings, database, ground } = bench
  const rounds: number[][] = []
  const waited: number[] = []
  for (let round = 1; round <= settings.rounds; round++) {
    for (const sender of busy) {
      const missing = backlog / busy.length - (await countWaiting(database, [sender]))
      const letters = Array.from({ length: missing }, (_, number) => letter(sender, number))
      await saveAtOnce(database.pool, letters)
    }
    const times = await timesToPending(bench, settings.seconds)
    rounds.push(times)
    waited.push(await countWaiting(database, busy))
    const [p50, p95] = [50, 95].map((percent) => percentile(times, percent).toFixed(0))
    ground.tell(
      `${name}, round ${round} of ${settings.rounds}: p50 ${p50} ms, p95 ${p95} ms, ${waited.at(-1)} waiting`,
    )
  }
  return { rounds, waited }
}

async function countWaiting({ pool }: Database, senders: readonly Sender[]): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>(
    'select count(*) as waiting from letter_waiting where consumer_id = any ($1::uuid[])',
    [senders.map(({ consumerId }) => consumerId)],
  )
  return rows[0]!.waiting
}

/**
 * Posts a letter every second, give or take the interval of the scheduler, whether or not the last one is PENDING.
 * Returns the sorted times.
 */
async function timesToPending({ ground, post }: Bench, seconds: number): Promise<number[]> {
  const times: Promise<number>[] = []
  const startedAt = performance.now()
  for (let second = 0; second < seconds; second++) {
    const dueAt = startedAt + (second + Math.random()) * 1_000
    await pause(Math.max(0, dueAt - performance.now()), undefined, { signal: ground.signal })
    times.push(post())
  }
  return (await Promise.all(times)).sort((a, b) => a - b)
}

/** Returns a function that posts a letter and returns the milliseconds until it is PENDING. */
function openPost(
  { signal }: Ground,
  { pool }: Database,
  { consumerId, target: { origin, path, headers } }: Awaited<ReturnType<typeof startIntake>>,
): () => Promise<number> {
  let number = 0
  return async () => {
    const body = plainRequest.replace(mark, String(++number).padStart(mark.length, '0'))
    const { id } = JSON.parse(body) as { id: string }
    const startedAt = performance.now()
    const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body, signal })
    if (!answer.ok) throw new Error(`A letter was answered ${answer.status}`)
    await eventually(
      async () => {
        const { rows } = await pool.query<{ status: string }>({
          name: 'bench-status',
          text: 'select status from print_job where consumer_id = $1 and id = $2',
          values: [consumerId, id],
        })
        return rows[0]?.status === 'PENDING'
      },
      { deadlineMs: pendingDeadlineMs, pollMs, message: `${id} is PENDING` },
    )
    return performance.now() - startedAt
  }
}
