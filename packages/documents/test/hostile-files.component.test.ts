import { byEffort } from '@despatch/testing/effort'
import { shared } from '@despatch/testing/shared'
import { test } from 'vitest'
import { startJudge } from './fuzz/judges.ts'
import { hostileFiles } from './hostile-files.ts'
import { judgeHostileFile } from './judge-hostile-file.ts'

const judge = await shared(startJudge({ deadlineMs: 100_000, memoryMiBMax: 512 }))

/** The landing loop judges every eighth. */
const judged = hostileFiles
  .filter(({ isLong }) => !isLong)
  .filter((_, index) => index % byEffort({ landing: 8, full: 1 }) === 0)

test.each(judged)('$name: $verdict', async (file) => {
  await judgeHostileFile(judge, file)
})
