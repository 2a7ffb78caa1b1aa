import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { inspectPdf } from '../src/pdf-safety/inspect-pdf.ts'
import { measureMemory, startJudge } from './fuzz/judges.ts'
import { pdfBombs } from './pdf-bombs.ts'

const judge = await shared(startJudge({ deadlineMs: 15_000, memoryMiBMax: 512 }))

test.each(Object.entries(pdfBombs))(
  'is judged within 15 s and 512 MiB: %s',
  async (_, { rule, make }) => {
    const bytes = make()

    const { result, grownMiB } = await measureMemory(() =>
      judge.judge({ target: 'inspect', mediaType: 'application/pdf', bytes }),
    )

    expect(result).toMatchObject({ verdict: rule ? 'reject' : 'accept' })
    expect(grownMiB).toBeLessThan(512)
  },
)

test.each(Object.entries(pdfBombs).filter(([, { rule }]) => rule))(
  'is refused by one rule: %s',
  async (_, { rule, make }) => {
    const { findings } = await inspectPdf(make())

    expect(findings.map((finding) => finding.rule)).toEqual([rule])
  },
)
