import { expect } from 'vitest'
import { detectMediaType } from '../src/file-signature.ts'
import type { Judge } from './fuzz/judges.ts'
import type { HostileFile } from './hostile-files.ts'

/** Checks the verdict on a file and its findings. Returns the milliseconds that it took. */
export async function judgeHostileFile(
  judge: Judge,
  { target, make, verdict, findings }: HostileFile,
): Promise<number> {
  const bytes = await make()
  const mediaType = detectMediaType(bytes.subarray(0, 64), bytes.length) ?? 'image/png'

  const judged = await judge.judge({ target, mediaType, bytes })

  expect(judged).toMatchObject({ verdict, ...(findings && { findings }) })
  return judged.ms
}
