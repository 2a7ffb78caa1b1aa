import { spawnSync } from 'node:child_process'
import { chown, cp, mkdir, mkdtemp, readFile, realpath, rename, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** The account a server runs as when this process is root; undefined: as this process. */
export type ServerAccount = { uid: number; gid: number; name: string } | undefined

const accountNames = ['postgres', 'nobody']

/**
 * PostgreSQL refuses to run as root, so root lends it an account: the one that owns the data
 * already, else the first unprivileged one of the machine.
 */
export async function chooseServerAccount(dataDirectory: string): Promise<ServerAccount> {
  const owner = await stat(dataDirectory).catch(() => undefined)
  if (process.getuid?.() !== 0) {
    if (owner && process.getuid && owner.uid !== process.getuid()) {
      throw new Error(
        `${dataDirectory} belongs to user ${owner.uid}: run as that user or as root, or remove it to begin anew`,
      )
    }
    return undefined
  }
  const accounts = parseAccounts(await readFile('/etc/passwd', 'utf8').catch(() => ''))
  const account =
    accounts.find(({ uid }) => uid !== 0 && uid === owner?.uid) ??
    accountNames.map((wanted) => accounts.find(({ name }) => name === wanted)).find(Boolean)
  if (account) return account
  throw new Error(
    'PostgreSQL refuses to run as root, and this machine has neither a "postgres" nor a "nobody" account',
  )
}

function parseAccounts(passwd: string) {
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}

/** Says whether the account can enter this directory, every directory above it included. */
export function canEnter(account: ServerAccount, directory: string): boolean {
  if (!account) return true
  const { uid, gid } = account
  return spawnSync('test', ['-x', directory], { uid, gid, cwd: '/' }).status === 0
}

/**
 * The place for a server's files: the directory itself or, where the account cannot enter it
 * (a home of mode 0700 above it), a directory of its own that a link in the directory leads to.
 */
export async function findHome(account: ServerAccount, directory: string): Promise<string> {
  if (canEnter(account, directory)) return directory

  const link = join(directory, 'elsewhere')
  const known = await realpath(link).catch(() => undefined)
  if (known) return known

  await mkdir('/var/lib/despatch', { recursive: true, mode: 0o755 })
  const home = await mkdtemp('/var/lib/despatch/embedded-')
  if (account) await chown(home, account.uid, account.gid)
  await symlink(home, link)
  return home
}

/** The directory of programs itself or, where the account cannot enter it, a copy kept for all. */
export async function findPrograms(
  account: ServerAccount,
  programs: { directory: string; version: string },
): Promise<string> {
  if (canEnter(account, programs.directory)) return programs.directory

  const copy = `/var/cache/despatch/postgres-${programs.version}`
  if (await stat(copy).catch(() => undefined)) return copy
  await mkdir('/var/cache/despatch', { recursive: true, mode: 0o755 })
  const unfinished = await mkdtemp(`${copy}-`)
  await cp(programs.directory, join(unfinished, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  await rename(join(unfinished, 'native'), copy).catch(async (error) => {
    // Another process finished the same copy first.
    if (!(await stat(copy).catch(() => undefined))) throw error
  })
  return copy
}
