import { chmod, cp, mkdir, mkdtemp, realpath, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { canEnter, type ServerAccount } from './server-account.ts'

const link = 'elsewhere'

/** Returns where the files of this directory's server are: in the directory, or where its link leads. */
export async function findHome(directory: string): Promise<string> {
  return realpath(join(directory, link)).catch(() => directory)
}

/**
 * Returns the home of a server's files, and creates it if necessary. The account may be unable to enter the directory,
 * for example below a home directory of mode 0700. Then the home is a system directory, and a link in the directory
 * leads to it.
 */
export async function makeHome(account: ServerAccount, directory: string): Promise<string> {
  const home = await findHome(directory)
  if (home !== directory || canEnter(account, directory)) return home

  await mkdir('/var/lib/despatch', { recursive: true, mode: 0o755 })
  const elsewhere = await mkdtemp('/var/lib/despatch/embedded-')
  await chmod(elsewhere, 0o711)
  // A dangling link remains from a home that was deleted.
  await rm(join(directory, link), { force: true })
  await symlink(elsewhere, join(directory, link))
  return elsewhere
}

/** Returns the directory of the programs or, if the account cannot enter it, a copy that all accounts can enter. */
export async function findPrograms(
  account: ServerAccount,
  programs: { directory: string; version: string },
): Promise<string> {
  if (canEnter(account, programs.directory)) return programs.directory

  const copy = `/var/cache/despatch/postgres-${programs.version}`
  if (await exists(copy)) return copy
  await mkdir('/var/cache/despatch', { recursive: true, mode: 0o755 })
  const unfinished = await mkdtemp(`${copy}-`)
  const copied = join(unfinished, 'native')
  try {
    await cp(programs.directory, copied, { recursive: true, verbatimSymlinks: true })
    await rename(copied, copy).catch(async (error) => {
      // Another process may have finished the same copy earlier.
      if (!(await exists(copy))) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return copy
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
