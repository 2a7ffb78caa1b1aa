import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findHome } from '@despatch/embedded/accessible-directory'

export type DataDirectory = AsyncDisposable & { path: string; isTemporary: boolean }

/** Returns the given directory, which is kept, or a temporary one, which is deleted when it is disposed. */
export async function openDataDirectory(given: string | undefined): Promise<DataDirectory> {
  // The embedded database runs under its own account, which must be able to pass through.
  const mode = 0o711
  if (given) {
    const path = resolve(given)
    await mkdir(path, { recursive: true, mode })
    return { path, isTemporary: false, [Symbol.asyncDispose]: async () => {} }
  }
  const path = await mkdtemp(join(tmpdir(), 'despatch-demo-'))
  await chmod(path, mode)
  return {
    path,
    isTemporary: true,
    [Symbol.asyncDispose]: () => remove(path),
  }
}

/** If the database's account cannot enter the directory, the database's files are elsewhere. */
async function remove(path: string): Promise<void> {
  const databaseHome = await findHome(join(path, 'postgres'))
  for (const place of [databaseHome, path]) {
    await rm(place, { recursive: true, force: true, maxRetries: 3 })
  }
}
