import { hashApiKey } from '@despatch/access/api-keys'
import { seedConsumer } from '@despatch/access/seed'
import type { Role } from '@despatch/domain/access/caller'
import { findAccountByUserName } from '@despatch/store/access/consumers'
import { openDatabase } from '@despatch/store/database'
import { type Credential, makeCredential } from './credentials.ts'
import { renewCredential } from './find-users.ts'

/** The roles of people. A provider's user needs a print provider, and is created with the command line. */
export const rolesOfPeople = ['operator', 'admin', 'address-editor'] as const satisfies Role[]

export type UserOrder = {
  userName: string
  /** Roles of a user that is created. An existing user keeps its roles. */
  roles: readonly (typeof rolesOfPeople)[number][]
  /** Whether an existing user gets a new password and API key. */
  reset: boolean
}

type ProvidedUser =
  | { kind: 'created' | 'reset'; credential: Credential; roles: readonly Role[] }
  /** Nothing was changed. */
  | { kind: 'exists' | 'disabled' }

/**
 * Creates a user for the console and the command line, or replaces its lost credentials: for a system without one, and
 * for one whose last admin cannot sign in. Tokens and sessions of replaced credentials end. Works on the database
 * alone, with the login of its owner or of administration. A user is never created twice; credentials that were lost
 * with the output are replaced by `reset`.
 */
export async function provideUser(databaseUrl: string, order: UserOrder): Promise<ProvidedUser> {
  const { userName, roles, reset } = order
  const { db, close } = openDatabase(databaseUrl, { name: 'users', connectionsMax: 1 })
  try {
    const known = await findAccountByUserName(db, userName)
    if (known && !reset) return { kind: 'exists' }
    if (known?.disabledAt) return { kind: 'disabled' }
    const made = makeCredential(userName)
    if (known) {
      const credential = await renewCredential(db, known.id, made)
      return { kind: 'reset', credential, roles: known.roles }
    }
    await seedConsumer(db, { ...made, name: userName, roles, services: [], contracts: [] })
    const created = await findAccountByUserName(db, userName)
    if (!created?.apiKeyHash.equals(hashApiKey(made.apiKey))) return { kind: 'exists' }
    return { kind: 'created', credential: made, roles }
  } finally {
    await close()
  }
}
