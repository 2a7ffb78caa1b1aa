import { changeApiKey } from '@despatch/access/change-api-key'
import { setPassword } from '@despatch/access/change-password'
import { findAccountByUserName } from '@despatch/store/access/consumers'
import { type Database, openDatabase } from '@despatch/store/database'
import { type Credential, checkWritable, makeUsers, readUsers, type Users } from './credentials.ts'

/**
 * Where the credentials of the users come from.
 * - `file`: from the credentials file of an earlier start.
 * - `made`: this start made them. The database had none of the users.
 * - `renewed`: the file is lost, and this start replaced the password and the API key of the users in the database.
 * - `elsewhere`: there is no file, and the database had users that this start may not change.
 */
type FoundUsers =
  | { origin: 'file' | 'made' | 'renewed'; users: Users }
  | { origin: 'elsewhere'; users?: never }

export type CredentialsOrigin = FoundUsers['origin']

/** What a start prints instead of the path of the file if the credentials are elsewhere. */
export const credentialsElsewhere =
  'not here: this database already has the users. Copy credentials.json from the folder of its first start, or let ' +
  'an admin reset a password: npx despatch consumers reset-password demo-consumer'

const roles = ['consumer', 'provider', 'operator'] as const satisfies (keyof Users)[]

/**
 * Returns the users with credentials that work, once `seedUsers` has created those that do not exist. Write them to the
 * file before that. The next start then knows them if this one is interrupted. Lost credentials are only renewed in the
 * embedded database of the directory, because others may use those of another database.
 */
export async function findUsers(
  databaseUrl: string,
  directory: string,
  { isEmbedded }: { isEmbedded: boolean },
): Promise<FoundUsers> {
  const known = await readUsers(directory)
  if (known) return { origin: 'file', users: known }
  const { db, close } = openDatabase(databaseUrl, { name: 'users', connectionsMax: 1 })
  try {
    const users = makeUsers()
    const ids = new Map<keyof Users, string>()
    for (const role of roles) {
      const account = await findAccountByUserName(db, users[role].userName)
      if (account) ids.set(role, account.id)
    }
    if (ids.size === 0) return { origin: 'made', users }
    if (!isEmbedded) return { origin: 'elsewhere' }
    await checkWritable(directory)
    for (const [role, id] of ids) users[role] = await renewCredential(db, id, users[role])
    return { origin: 'renewed', users }
  } finally {
    await close()
  }
}

/** Gives a user the password and another API key. Changes neither while the API key of the user is being changed. */
export async function renewCredential(
  db: Database['db'],
  consumerId: string,
  { userName, password }: Credential,
): Promise<Credential> {
  const order = { consumerId, actor: 'seed' }
  const change = await changeApiKey({ ...order, db })
  if (change.kind !== 'changed') {
    throw new Error(`The API key of ${userName} is being changed. Try again in a minute`)
  }
  const changed = await setPassword(db, { ...order, newPassword: password })
  if (changed.kind !== 'changed') {
    throw new Error(`${userName} got no new password: ${changed.kind}`)
  }
  return { userName, password, apiKey: change.apiKey }
}
