import { expect, test } from 'vitest'
import { createKnownRefusals } from './known-refusals.ts'
import { TaskLimitExceeded } from './task-limits.ts'

const [slow, quick] = [{ bytes: Buffer.from('slow') }, { bytes: Buffer.from('quick') }]

test('refuses a file that exceeded a limit for an hour, in any place of a letter', async () => {
  let nowMs = 0
  const refusals = createKnownRefusals({ now: () => nowMs })
  await refusals.remember(new TaskLimitExceeded('file-time', 1), [quick, slow])
  const again = () => refusals.check([{ bytes: Buffer.from('slow') }, quick])

  nowMs = 3_599_999
  await expect(again()).rejects.toMatchObject({ limit: 'file-time', fileIndex: 0 })
  await expect(refusals.check([quick])).resolves.toBeUndefined()

  nowMs = 3_600_000
  await expect(again()).resolves.toBeUndefined()
})

test('a letter that takes too long as a whole does not block its files', async () => {
  const refusals = createKnownRefusals()

  await refusals.remember(new TaskLimitExceeded('task-time', undefined), [slow])

  await expect(refusals.check([slow])).resolves.toBeUndefined()
})
