import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { startJudge } from './fuzz/judges.ts'
import { hostileFiles } from './hostile-files.ts'
import { judgeHostileFile } from './judge-hostile-file.ts'

const judge = await shared(startJudge({ deadlineMs: 100_000, memoryMiBMax: 512 }))

test('the corpus has many files', () => {
  expect(hostileFiles.length).toBeGreaterThanOrEqual(90)
})

test.each(hostileFiles.filter(({ isLong }) => !isLong))('$name: $verdict', async (file) => {
  await judgeHostileFile(judge, file)
})
