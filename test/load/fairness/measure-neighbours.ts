import { setTimeout as pause } from 'node:timers/promises'
import { saveUsagePlan } from '@despatch/store/access/usage-plan-limits'
import { Agent, request } from 'undici'
import { profileFlags, type Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { makeConsumer } from '../consumer.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { letterOf } from '../intake/requests.ts'
import { startService } from '../pipeline/our-pipeline.ts'
import { percentile } from '../statistics.ts'
import { type HostilePlan, type HostileResult, submitPath, validatePath } from './neighbours.ts'

/** The plan that a new deployment has. */
const standard = { service: 'print-request', requestsPerSecond: 100, burst: 200 } as const
const hostileConsumers = 4
const ratioMax = 3
const warmUpSeconds = 3
/** The hostile consumers begin this long before the measured seconds. */
const headStartSeconds = 2
const betweenMs = 50
const acts = ['submit', 'read', 'dry run'] as const

type Times = Record<(typeof acts)[number], number[]>

/**
 * Measures the requests of a consumer that sends one after the other: alone, and beside four hostile ones at the limits
 * of their plans.
 */
export function measureNeighbours(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 2 }, async ({ db }) => {
    const quiet = await makeConsumer(db, ground, 'quiet-consumer')
    const hostile: (typeof quiet)[] = []
    for (let number = 1; number <= hostileConsumers; number += 1) {
      hostile.push(await makeConsumer(db, ground, `hostile-consumer-${number}`))
    }
    const limits = [{ ...standard, requestsPerDay: null }]
    await saveUsagePlan(db, { name: 'standard', limits })
    const { origin } = await ground.serve('services/print-request/src/main.ts', {
      environment: { LOG_LEVEL: 'warn' },
      nodeFlags: profileFlags(settings),
    })
    await startService(ground, settings)
    const attacker = await ground.start('test/load/fairness/hostile-main.ts')
    const agent = new Agent({ connections: 1 })
    const client = { origin, headers: quiet.headers, agent, signal: ground.signal }
    const plan = {
      origin,
      headers: hostile.map(({ headers }) => headers),
      requestsPerSecond: standard.requestsPerSecond,
    }
    const answers: HostileResult[] = []
    const beside = async (seconds: number): Promise<Times> => {
      const attack = attacker.ask<HostileResult>(
        { ...plan, seconds: seconds + headStartSeconds } satisfies HostilePlan,
        ground.signal,
      )
      await pause(headStartSeconds * 1_000, undefined, { signal: ground.signal })
      const times = await measureTimes(client, seconds)
      answers.push(await attack)
      return times
    }

    await measureTimes(client, warmUpSeconds)
    const rounds: { alone: Times; beside: Times }[] = []
    for (let round = 1; round <= settings.rounds; round += 1) {
      const alone = await measureTimes(client, settings.seconds)
      rounds.push({ alone, beside: await beside(settings.seconds) })
      const p95 = ({ submit }: Times) => percentile(submit, 95).toFixed(1)
      ground.tell(
        `round ${round} of ${settings.rounds}: p95 of submit ${p95(rounds.at(-1)!.beside)} ms beside, ${p95(alone)} alone`,
      )
    }
    await agent.close()
    const measures = acts.flatMap((act) =>
      [50, 95].map((percent) => ({
        name: `${act}, p${percent}, ms`,
        ours: rounds.map(({ beside }) => percentile(beside[act], percent)),
        theirs: rounds.map(({ alone }) => percentile(alone[act], percent)),
        ...(percent === 95 && { target: { sense: 'at most', ratio: ratioMax } as const }),
      })),
    )
    return [
      {
        scenario: `a consumer beside ${hostileConsumers} hostile ones at the limits of their plans`,
        rival: 'the same alone',
        measures,
        notes: Object.entries(answers.at(-1) ?? {}).map(
          ([name, counts]) => `${name}, answers of the last round: ${JSON.stringify(counts)}`,
        ),
      },
    ]
  })
}

type Client = { origin: string; headers: Record<string, string>; agent: Agent; signal: AbortSignal }

let letters = 0

/** Submits a letter, reads it and tries it as a dry run, again and again. Returns the sorted times. */
async function measureTimes(client: Client, seconds: number): Promise<Times> {
  const times: Times = { submit: [], read: [], 'dry run': [] }
  const endMs = performance.now() + seconds * 1_000
  while (performance.now() < endMs) {
    letters += 1
    const id = `quiet-${letters}`
    times.submit.push(await timed(client, submitPath, letterOf(id)))
    times.read.push(await timed(client, `${submitPath}/${id}`))
    times['dry run'].push(await timed(client, validatePath, letterOf()))
    await pause(betweenMs, undefined, { signal: client.signal })
  }
  for (const act of acts) times[act].sort((a, b) => a - b)
  return times
}

/** Returns the milliseconds until the whole answer has arrived. Throws if the request is refused. */
async function timed(
  { origin, headers, agent, signal }: Client,
  path: string,
  body?: object,
): Promise<number> {
  const startedMs = performance.now()
  const answer = await request(`${origin}${path}`, {
    dispatcher: agent,
    headers,
    signal,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${path} was answered ${answer.statusCode} ${text}`)
  return performance.now() - startedMs
}
