import { byEffort } from '@despatch/testing/effort'
import { expect, test } from 'vitest'
import { startJudge } from './fuzz/judges.ts'
import { runFuzz } from './fuzz/run-fuzz.ts'
import { pdfBombs } from './pdf-bombs.ts'
import { writePdf } from './write-pdf.ts'

const asPdf = (bytes: Uint8Array) =>
  ({ target: 'inspect', mediaType: 'application/pdf', bytes }) as const

test('mutated files are accepted or refused: none crashes, hangs, throws or writes to the console', async () => {
  const files = byEffort({ landing: 40, full: 1_000 })
  const report = await runFuzz({
    seed: 20_261_120,
    first: 0,
    files,
    secondsMax: Number.POSITIVE_INFINITY,
    threads: 2,
    deadlineMs: 100_000,
  })

  expect(report.violations).toEqual([])
  expect(report.judged).toBe(files)
})

test('a file that takes too long is reported, and the next one is judged', async () => {
  const bytes = pdfBombs['a string of 20 MiB']!.make()
  const judge = startJudge({ deadlineMs: 1, memoryMiBMax: 512 })

  expect(await judge.judge(asPdf(bytes))).toMatchObject({ verdict: 'hang' })
  await judge.close()
})

test('a file that takes too much memory is reported, and the next one is judged', async () => {
  const bytes = pdfBombs['as many values as allowed']!.make()
  const judge = startJudge({ deadlineMs: 100_000, memoryMiBMax: 48 })

  expect(await judge.judge(asPdf(bytes))).toMatchObject({ verdict: 'crash' })
  expect(await judge.judge(asPdf(writePdf()))).toMatchObject({ verdict: 'accept' })
  await judge.close()
})
