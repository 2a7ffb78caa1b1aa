import { deflateSync, inflateSync } from 'node:zlib'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { measureMemory, startJudge } from './fuzz/judges.ts'
import { hostileFiles } from './hostile-files.ts'
import { judgeHostileFile } from './judge-hostile-file.ts'

const memoryMiBMax = 512
/** What a file may take of the time in which this machine inflates as much as the streams of a file may contain. */
const inflationsMax = 20

const judge = await shared(startJudge({ deadlineMs: 100_000, memoryMiBMax }))
const inflationMs = inflate()

test.each(hostileFiles)(
  `takes as long as ${inflationsMax} inflations of 512 MiB at most, and ${memoryMiBMax} MiB: $name`,
  async (file) => {
    const { result: ms, grownMiB } = await measureMemory(() => judgeHostileFile(judge, file))

    expect(ms / inflationMs).toBeLessThan(inflationsMax)
    expect(grownMiB).toBeLessThan(memoryMiBMax)
  },
)

/** Returns the milliseconds in which 512 MiB are inflated. */
function inflate(): number {
  const part = deflateSync(Buffer.alloc(8 * 1024 * 1024, ' '))
  const begun = performance.now()
  for (let parts = 0; parts < 64; parts += 1) inflateSync(part)
  return performance.now() - begun
}
