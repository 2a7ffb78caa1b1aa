import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory that is deleted when the test ends. */
export async function aDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-embedded-'))
  // If this process is root, the server's account must be able to enter.
  await chmod(directory, 0o711)
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
