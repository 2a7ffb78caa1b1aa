import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory that is gone when the test is. */
export async function aDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-embedded-'))
  // As root, the server's account has to come in.
  await chmod(directory, 0o711)
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
