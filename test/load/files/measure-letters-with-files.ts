import { setTimeout as pause } from 'node:timers/promises'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { type Cost, type CostReader, costBetween, cpuFigures, openCosts } from '../cost.ts'
import { makePdfOfPhotos, makeSmallPdf } from '../documents/letters.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { type LoadPlan, type LoadResult, mark } from '../intake/load.ts'
import { startIntake } from '../intake/measure-intake.ts'
import { startService } from '../pipeline/our-pipeline.ts'

/** Letters in one round, and in the warm-up of each kind. */
const kinds = [
  { name: 'PDF of 3 pages', makePdf: makeSmallPdf, letters: 200, warmUp: 40 },
  { name: 'PDF of 4 pages', makePdf: makePdfOfPhotos, letters: 40, warmUp: 10 },
]
const connections = 8
const pollMs = 50

type Result = { lettersPerSecond: number; cost: Cost }

/** Measures letters with a PDF in the request, from the first request until the last letter is PENDING. */
export function measureLettersWithFiles(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 2 }, async (database) => {
    const intake = await startIntake(ground, settings, database, { LOG_LEVEL: 'warn' })
    const pipeline = await startService(ground, settings)
    const load = await ground.start('test/load/intake/load-main.ts')
    const readCosts = await openCosts(database.pool, {
      intake: intake.program.pid,
      pipeline: pipeline.pid,
      'object store': ground.objectStore.pid,
      ...(ground.redis && { Redis: ground.redis.pid }),
    })
    const countOpen = async () => {
      const { rows } = await database.pool.query<{ open: number; failed: number }>(
        `select count(*) filter (where status in ('QUARANTINE', 'VALIDATING') and parked_at is null) as open,
           count(*) filter (where status = 'REJECTED' or parked_at is not null) as failed
         from print_job`,
      )
      const { open, failed } = rows[0]!
      if (failed > 0) throw new Error(`The pipeline refused or parked ${failed} print jobs`)
      return open
    }
    let firstNumber = 1
    const run = async (body: string, letters: number): Promise<Result> => {
      const { signal } = ground
      const deadline = performance.now() + settings.seconds * 1_000
      const before = await readCosts()
      const startedAt = performance.now()
      const { seconds } = settings
      const extent = { body, connections, seconds, requestsMax: letters, firstNumber }
      const plan = { ...intake.target, ...extent } satisfies LoadPlan
      const { requests, refusals } = await load.ask<LoadResult>(plan, signal)
      firstNumber += requests
      if (requests < letters || Object.keys(refusals).length > 0) {
        throw new Error(`${requests} requests, refused: ${JSON.stringify(refusals)}`)
      }
      while ((await countOpen()) > 0) {
        if (performance.now() > deadline) throw new Error('Some letters are not PENDING')
        await pause(pollMs, undefined, { signal })
      }
      const lettersPerSecond = (letters * 1_000) / (performance.now() - startedAt)
      return { lettersPerSecond, cost: await costOf(readCosts, before, letters) }
    }

    const comparisons: Comparison[] = []
    for (const { name, makePdf, letters, warmUp } of kinds) {
      const pdf = await makePdf()
      const body = requestOf(pdf)
      ground.tell(`${name}: warming up`)
      await run(body, warmUp)
      const results: Result[] = []
      for (let round = 1; round <= settings.rounds; round++) {
        const result = await run(body, letters)
        results.push(result)
        const rate = result.lettersPerSecond.toFixed(1)
        ground.tell(`${name}: round ${round} of ${settings.rounds}: ${rate} letters/s`)
      }
      comparisons.push({
        scenario: `${letters} letters, ${name} (${Math.round(pdf.length / 1024)} KiB), ${connections} connections`,
        rival: '',
        measures: [],
        figures: [
          { name: 'letters/s', ours: results.map(({ lettersPerSecond }) => lettersPerSecond) },
          ...cpuFigures(
            'to PENDING',
            results.map(({ cost }) => cost),
          ),
        ],
        notes: [],
      })
    }
    return comparisons
  })
}

async function costOf(readCosts: CostReader, before: Cost, letters: number): Promise<Cost> {
  return costBetween(before, await readCosts(), letters)
}

/** The mark is in the base64 of a comment after the end of the PDF, so that no two files are equal. */
function requestOf(pdf: Uint8Array): string {
  const padded = Buffer.alloc(Math.ceil((pdf.length + 2) / 3) * 3, ' ')
  padded.set(pdf)
  padded.set(Buffer.from('\n%'), padded.length - 2)
  const value = `${padded.toString('base64')}${mark}`
  return JSON.stringify({
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName: 'Ms Rosalind Appleyard',
      address: {
        unstructuredAddress: { line1: '12 Mill Lane', line5: 'ANYTOWN', postcode: 'AB1 2CD' },
      },
    },
    customParams: [{ key: 'letter', value }],
  })
}
