import { setTimeout as pause } from 'node:timers/promises'
import { aSlowPdf } from '@despatch/testing/a-slow-pdf'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { makeConsumer } from '../consumer.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { percentile } from '../statistics.ts'

const path = '/print-request/v1/print/jobs/validate'
const hostileAtOnce = 8
const warmUpSeconds = 3
const pauseAfterRefusalMs = 100
const ratioMax = 3

const letter = {
  standardParams: {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    recipientName: 'Ms Rosalind Appleyard',
    address: { unstructuredAddress: { line1: '12 Mill Lane', postcode: 'AB1 2CD' } },
  },
}
const quickBody = JSON.stringify(letter)
const slowPdf = Buffer.from(aSlowPdf()).toString('base64')
const slowBody = JSON.stringify({ ...letter, customParams: [{ key: 'scan', value: slowPdf }] })

/**
 * Measures the dry runs of a consumer, one after the other, alone and beside another consumer that always has eight
 * under way whose PDF takes minutes to paint.
 */
export function measureDryRuns(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 2 }, async ({ db }) => {
    const hostile = await makeConsumer(db, ground, 'hostile-consumer')
    const quick = await makeConsumer(db, ground, 'quick-consumer')
    const { origin, program } = await ground.serve('services/print-request/src/main.ts', {
      environment: { LOG_LEVEL: 'warn' },
    })
    const ask = async (
      { headers }: Pick<typeof quick, 'headers'>,
      body: string,
      signal: AbortSignal,
    ) => {
      const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body, signal })
      await answer.arrayBuffer()
      return answer.status
    }

    async function dryRunsMs(seconds: number): Promise<number[]> {
      const tookMs: number[] = []
      const endMs = performance.now() + seconds * 1_000
      while (performance.now() < endMs) {
        const startedMs = performance.now()
        const status = await ask(quick, quickBody, ground.signal)
        if (status !== 200) throw new Error(`A dry run was answered ${status}`)
        tookMs.push(performance.now() - startedMs)
      }
      return tookMs.sort((a, b) => a - b)
    }

    async function beside(seconds: number): Promise<number[]> {
      const ending = new AbortController()
      const signal = AbortSignal.any([ending.signal, ground.signal])
      const keepAsking = async () => {
        while (!signal.aborted) {
          // Each is refused, because its time is over.
          await ask(hostile, slowBody, signal).catch(() => {})
          await pause(pauseAfterRefusalMs)
        }
      }
      const asking = Array.from({ length: hostileAtOnce }, keepAsking)
      try {
        return await dryRunsMs(seconds)
      } finally {
        ending.abort()
        await Promise.all(asking)
      }
    }

    await beside(warmUpSeconds)
    await dryRunsMs(warmUpSeconds)
    const alone: number[][] = []
    const withHostile: number[][] = []
    for (let round = 0; round < settings.rounds; round += 1) {
      alone.push(await dryRunsMs(settings.seconds))
      withHostile.push(await beside(settings.seconds))
      const [one, other] = [withHostile, alone].map((all) => percentile(all.at(-1)!, 95).toFixed(1))
      ground.tell(`round ${round + 1} of ${settings.rounds}: p95 ${one} ms beside, ${other} alone`)
    }
    await program.stop()
    const measure = (percent: number) => ({
      name: `p${percent}, ms`,
      ours: withHostile.map((each) => percentile(each, percent)),
      theirs: alone.map((each) => percentile(each, percent)),
    })
    return [
      {
        scenario: `dry runs beside ${hostileAtOnce} hostile PDFs of another consumer`,
        rival: 'the same alone',
        measures: [
          measure(50),
          { ...measure(95), target: { sense: 'at most', ratio: ratioMax } },
          measure(100),
        ],
        notes: [
          `${settings.seconds} s each; dry runs beside: ${withHostile.map(({ length }) => length).join(', ')}; alone: ${alone.map(({ length }) => length).join(', ')}`,
        ],
      },
    ]
  })
}
