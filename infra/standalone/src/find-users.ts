import { changeApiKey } from '@despatch/access/change-api-key'
import { setPassword } from '@despatch/access/change-password'
import { findAccountByUserName } from '@despatch/store/access/consumers'
import { type Database, openDatabase } from '@despatch/store/database'
import { type Credential, makeUsers, readUsers, type Users } from './credentials.ts'

/**
 * Where the credentials of the users come from.
 * - `file`: from the credentials file of an earlier start.
 * - `made`: this start made them. The database had none of the users.
 * - `renewed`: the file is lost, and this start replaced the password and the API key of the users in the database.
 */
export type CredentialsOrigin = 'file' | 'made' | 'renewed'

/**
 * Returns the users with credentials that work, once `seedUsers` has created those that do not exist. Write them to
 * the file before that: a start that is interrupted afterwards then knows them.
 */
export async function findUsers(
  databaseUrl: string,
  directory: string,
): Promise<{ users: Users; origin: CredentialsOrigin }> {
  const users = await readUsers(directory)
  if (users) return { users, origin: 'file' }
  const { db, close } = openDatabase(databaseUrl, { name: 'users', connectionsMax: 1 })
  try {
    const made = makeUsers()
    const renewed = await Promise.all([
      renew(db, made.consumer),
      renew(db, made.provider),
      renew(db, made.operator),
    ])
    const [consumer = made.consumer, provider = made.provider, operator = made.operator] = renewed
    const origin = renewed.some((each) => each !== undefined) ? 'renewed' : 'made'
    return { users: { consumer, provider, operator }, origin }
  } finally {
    await close()
  }
}

/** Gives an existing user the password and another API key. Returns undefined if there is no such user. */
async function renew(
  db: Database['db'],
  { userName, password }: Credential,
): Promise<Credential | undefined> {
  const account = await findAccountByUserName(db, userName)
  if (!account) return undefined
  const order = { consumerId: account.id, actor: 'seed' }
  const changed = await setPassword(db, { ...order, newPassword: password })
  if (changed.kind !== 'changed')
    throw new Error(`${userName} got no new password: ${changed.kind}`)
  const change = await changeApiKey({ ...order, db })
  if (change.kind === 'changed') return { userName, password, apiKey: change.apiKey }
  throw new Error(`The API key of ${userName} is being changed. Try again in a minute`)
}
