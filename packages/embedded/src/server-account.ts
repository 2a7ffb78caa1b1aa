import { spawnSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'

/** The account under which a server runs if this process is root. Undefined: the account of this process. */
export type ServerAccount = { uid: number; gid: number; name: string } | undefined

const accountNames = ['postgres', 'nobody']

/**
 * Chooses the account under which a server runs. PostgreSQL refuses to run as root, so under root it is the owner of
 * the data, otherwise `postgres` or `nobody`. Undefined: the account of this process. Throws if no account is suitable.
 */
export async function chooseServerAccount(dataDirectory: string): Promise<ServerAccount> {
  const owner = await stat(dataDirectory).catch(() => undefined)
  const self = process.getuid?.()
  if (self !== 0) {
    if (!owner || owner.uid === self || self === undefined) return undefined
    throw new Error(
      `${dataDirectory} belongs to user ${owner.uid}: run as that user or as root, or remove it to start again`,
    )
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

/** Whether the account can enter this directory, including every directory above it. */
export function canEnter(account: ServerAccount, directory: string): boolean {
  if (!account) return true
  const { uid, gid } = account
  return spawnSync('test', ['-x', directory], { uid, gid, cwd: '/' }).status === 0
}
