import { setTimeout as pause } from 'node:timers/promises'
import type { Comparison } from '../comparison.ts'
import { type Cost, costBetween, cpuFigures, openCosts } from '../cost.ts'
import { makeSmallPdf } from '../documents/letters.ts'
import { type LoadPlan, type LoadResult, mark } from '../intake/load.ts'
import { startIntake } from '../intake/measure-intake.ts'
import { letterOf } from '../intake/requests.ts'
import type { Program } from '../program.ts'
import type { Bench } from './measure-pipeline.ts'

/** Letters in one round, and in the warm-up. */
const letters = 200
const warmUpLetters = 40
const connections = 8
const cpuMsMax = 25
const pollMs = 50

type Result = { lettersPerSecond: number; cost: Cost }

/** Measures letters with a PDF in the request, from the first request until the last letter is PENDING. */
export async function measureLettersWithFiles({
  ground,
  settings,
  database,
  pipeline,
}: Bench & { pipeline: Program }): Promise<Comparison> {
  const { rounds, seconds } = settings
  const intake = await startIntake(ground, settings, database, { LOG_LEVEL: 'warn' })
  const load = await ground.start('test/load/intake/load-main.ts')
  const readCosts = await openCosts(database.pool, {
    intake: intake.program.pid,
    pipeline: pipeline.pid,
    'object store': ground.objectStore.pid,
    ...(ground.redis && { Redis: ground.redis.pid }),
  })
  const isPending = async () => {
    const { rows } = await database.pool.query<{ open: number; failed: number }>(
      `select count(*) filter (where status in ('QUARANTINE', 'VALIDATING') and parked_at is null) as open,
         count(*) filter (where status = 'REJECTED' or parked_at is not null) as failed
       from print_job where consumer_id = $1`,
      [intake.consumerId],
    )
    const { open, failed } = rows[0]!
    if (failed > 0) throw new Error(`The pipeline refused or parked ${failed} print jobs`)
    return open === 0
  }
  const pdf = await makeSmallPdf()
  const body = requestOf(pdf)
  let firstNumber = 1
  const run = async (requestsMax: number): Promise<Result> => {
    const deadline = performance.now() + seconds * 1_000
    const before = await readCosts()
    const startedAt = performance.now()
    const extent = { body, connections, seconds, requestsMax, firstNumber }
    const plan = { ...intake.target, ...extent } satisfies LoadPlan
    const { requests, refusals } = await load.ask<LoadResult>(plan, ground.signal)
    firstNumber += requests
    if (requests < requestsMax || Object.keys(refusals).length > 0) {
      throw new Error(`${requests} requests, refused: ${JSON.stringify(refusals)}`)
    }
    while (!(await isPending())) {
      if (performance.now() > deadline) throw new Error('Some letters are not PENDING')
      await pause(pollMs, undefined, { signal: ground.signal })
    }
    const lettersPerSecond = (requests * 1_000) / (performance.now() - startedAt)
    return { lettersPerSecond, cost: costBetween(before, await readCosts(), requests) }
  }

  ground.tell('letters with files: warming up')
  await run(warmUpLetters)
  const results: Result[] = []
  for (let round = 1; round <= rounds; round++) {
    ground.tell(`letters with files: round ${round} of ${rounds}`)
    results.push(await run(letters))
  }
  const costs = results.map(({ cost }) => cost)
  return {
    scenario: `${letters} letters with a PDF of ${Math.round(pdf.length / 1024)} KiB, ${connections} connections`,
    rival: '',
    measures: [],
    figures: [
      { name: 'letters/s', ours: results.map(({ lettersPerSecond }) => lettersPerSecond) },
      ...cpuFigures('to PENDING', costs, { sense: 'at most', figure: cpuMsMax }),
    ],
    notes: [],
  }
}

/** The mark is in the base64 of a comment after the end of the PDF, so that no two files are equal. */
function requestOf(pdf: Uint8Array): string {
  const padded = Buffer.alloc(Math.ceil((pdf.length + 2) / 3) * 3, ' ')
  padded.set(pdf)
  padded.set(Buffer.from('\n%'), padded.length - 2)
  const value = `${padded.toString('base64')}${mark}`
  return JSON.stringify({ ...letterOf(), customParams: [{ key: 'letter', value }] })
}
