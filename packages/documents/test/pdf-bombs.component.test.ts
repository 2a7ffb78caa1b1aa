import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { measureMemory, startJudge } from './fuzz/judges.ts'
import { pdfBombs } from './pdf-bombs.ts'

const judge = await shared(startJudge({ deadlineMs: 15_000, memoryMiBMax: 512 }))

test.each(Object.entries(pdfBombs))(
  'is accepted or refused by one rule, within 15 s and 512 MiB: %s',
  async (_, { rule, make }) => {
    const bytes = make()

    const { result, grownMiB } = await measureMemory(() =>
      judge.judge({ target: 'inspect', mediaType: 'application/pdf', bytes }),
    )

    expect(result).toMatchObject({ verdict: rule ? 'reject' : 'accept' })
    if (rule) expect(result.findings?.map((finding) => finding.rule)).toEqual([rule])
    expect(grownMiB).toBeLessThan(512)
  },
)
