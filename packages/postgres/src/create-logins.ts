import { createHmac, hash, pbkdf2Sync, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { retryConflicts } from './retry-conflicts.ts'
import { type DatabaseService, roleOf } from './service-roles.ts'

export type Passwords = Readonly<Partial<Record<DatabaseService, string>>>

/** The settings of every session that does not set its own, such as one that somebody opens by hand. */
const sessionSettings = {
  statement_timeout: '30s',
  lock_timeout: '25s',
  idle_in_transaction_session_timeout: '10s',
}
const iterations = 4_096

/**
 * Creates the roles of these services unless they exist, and sets their passwords. The server receives only the
 * verifiers, so that no log of its statements contains a password. Requires the right to create roles. Safe to repeat
 * and to run from several processes at once.
 */
export async function createLogins(client: pg.ClientBase, passwords: Passwords): Promise<void> {
  for (const [service, password] of Object.entries(passwords)) {
    const role = roleOf(service as DatabaseService)
    // Roles belong to the whole server, so processes that prepare different databases may change the same one.
    await retryConflicts(() => createLogin(client, role, verifierOf(password)))
  }
}

async function createLogin(client: pg.ClientBase, role: string, verifier: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  if (rowCount === 0) await client.query(`create role ${role} login`)
  const settings = Object.entries(sessionSettings).map(
    ([name, value]) => `alter role ${role} set ${name} = '${value}'`,
  )
  await client.query([`alter role ${role} login password '${verifier}'`, ...settings].join(';\n'))
}

/** Returns what the server stores to check the password of ASCII characters by SCRAM-SHA-256. */
function verifierOf(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyFor = (use: string) => createHmac('sha256', salted).update(use).digest()
  const storedKey = hash('sha256', keyFor('Client Key'), 'base64')
  const serverKey = keyFor('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
