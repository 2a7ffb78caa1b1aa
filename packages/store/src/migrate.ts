import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { applyGrants } from '@despatch/postgres/apply-grants'
import { BoundedClient } from '@despatch/postgres/bounded-client'
import { createLogins, type Passwords } from '@despatch/postgres/create-logins'
import { refuseServerSettings } from '@despatch/postgres/server-settings'
import type pg from 'pg'
import { storeGrants, testEnvironmentGrants } from './grants.ts'
import {
  baselineName,
  isUnreleased,
  readBaseline,
  unreleasedDatabase,
} from './migration/baseline.ts'
import { buildIndexes, isConcurrent, partsOf } from './migration/build-indexes.ts'
import { lockMigrations } from './migration/lock-migrations.ts'
import { lockTimeoutMs, retryLocks } from './migration/retry-locks.ts'

const directory = new URL('../migrations/', import.meta.url)
/** Enough for one migration of a large database. */
const silenceMsMax = 6 * 3_600_000

type MigrateOptions = {
  /** How long one migration may try to obtain its locks, in milliseconds. */
  lockWaitMs?: number
  /** Called with a line when the migration waits for another session. */
  log?: (line: string) => void
  migrations?: readonly Migration[]
  /** The services whose roles are created first, with their passwords. */
  passwords?: Passwords
  /** Whether predefined numbers have predefined outcomes (DESPATCH_ENVIRONMENT=uat). */
  isTestEnvironment?: boolean
  /** How many days the audit of enquiries is kept. Without it, this stays as it is. */
  enquiryAuditDays?: number | undefined
  /** Whether a server is refused that may lose committed transactions when it crashes. */
  mustBeDurable?: boolean
}

/**
 * Applies the baseline to an empty database, and then the outstanding migrations in the order of their numbers. Each
 * runs in its own transaction or, if its first line is `-- concurrently`, statement by statement. A line `-- commit`
 * divides a migration into parts, each of which runs in this way. If a part fails, the parts before it run again, so
 * each must have the same effect twice. It waits briefly for locks and retries, so that services continue to work. Safe
 * to repeat, to run from several processes at once, and to kill at any moment. Then it gives the roles of the services
 * their privileges. Throws before it changes anything if an unreleased version made the database, if an applied
 * migration has been edited, if the database is newer than this release, or if a setting of the server is wrong. Throws
 * if a lock is not free within `lockWaitMs`; the error names the session that holds it.
 */
export async function migrate(
  databaseUrl: string,
  {
    lockWaitMs = 600_000,
    log = () => {},
    migrations,
    passwords = {},
    isTestEnvironment = false,
    mustBeDurable = false,
    enquiryAuditDays,
  }: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  const client = openClient(databaseUrl, 'migrate')
  const observer = openClient(databaseUrl, 'migrate observer')
  try {
    await Promise.all([client.connect(), observer.connect()])
    await refuseServerSettings(client, mustBeDurable ? ['refused', 'unsafe'] : ['refused'])
    // The server cancels the work of a killed process and frees its locks. Not every system supports this check.
    await client.query("set client_connection_check_interval = '1s'").catch(() => {})
    await lockMigrations(client, log)
    const missing = findMissing(migrations ?? (await readMigrations()), await listApplied(client))
    await createLogins(client, passwords)
    await client.query(
      'create table if not exists migration (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    )
    const applied: string[] = []
    for (const migration of missing) {
      const waiting = { name: migration.name, client, observer, lockWaitMs, log }
      await retryLocks(waiting, () => apply(client, migration)).catch((cause) => {
        throw new Error(`Migration ${migration.name} failed`, { cause })
      })
      applied.push(migration.name)
    }
    await applyGrants(client, isTestEnvironment ? testEnvironmentGrants : storeGrants)
    if (enquiryAuditDays !== undefined) await keepEnquiryAudit(client, enquiryAuditDays)
    return { applied }
  } finally {
    await Promise.all([client.end(), observer.end()])
  }
}

async function keepEnquiryAudit(client: pg.Client, days: number): Promise<void> {
  const set = `update retention set days = $1 where kind = 'enquiry-audit' and days <> $1`
  await client.query(set, [days])
}

function openClient(connectionString: string, application_name: string): pg.Client {
  const client = new BoundedClient({ connectionString, application_name, silenceMsMax })
  // A lost connection fails the query. The additional error event must not end the process.
  client.on('error', () => {})
  return client
}

export type Migration = { name: string; sql: string; sha256: string }

/** Reads the baseline of this release, and then its migrations in the order of their numbers. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  const migrations = names.map(async (name) =>
    toMigration(name, await readFile(new URL(name, directory), 'utf8')),
  )
  return [toMigration(baselineName, await readBaseline()), ...(await Promise.all(migrations))]
}

function toMigration(name: string, sql: string): Migration {
  return { name, sql, sha256: hash('sha256', sql) }
}

type Applied = Pick<Migration, 'name' | 'sha256'>

async function listApplied(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query<{ found: string | null }>(
    "select to_regclass('migration')::text as found",
  )
  if (rows[0]!.found === null) return []
  return (await client.query<Applied>('select name, sha256 from migration')).rows
}

function findMissing(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  if (isUnreleased(migrations, applied)) throw new Error(unreleasedDatabase)
  const known = new Map(applied.map(({ name, sha256 }) => [name, sha256]))
  for (const name of known.keys()) {
    if (migrations.some((migration) => migration.name === name)) continue
    throw new Error(`The database has migration ${name}, which this release does not know`)
  }
  const edited = migrations.find(({ name, sha256 }) => (known.get(name) ?? sha256) !== sha256)
  if (edited) {
    throw new Error(`Migration ${edited.name} has been edited since it ran on this database`)
  }
  return migrations.filter(({ name }) => !known.has(name))
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const parts = partsOf(migration.sql)
  for (const part of parts.slice(0, -1)) await applyPart(client, part)
  await applyPart(client, parts.at(-1)!, migration)
}

/** With `migration`, also records that it has been applied. */
async function applyPart(client: pg.Client, part: string, migration?: Migration): Promise<void> {
  if (isConcurrent(part)) {
    await buildIndexes(client, part)
    if (migration) await record(client, migration)
    return
  }
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
    await client.query(part)
    if (migration) await record(client, migration)
    await client.query('commit')
  } catch (error) {
    // A lost session has rolled back already, and its error is the one to report.
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function record(client: pg.Client, { name, sha256 }: Migration): Promise<void> {
  await client.query('insert into migration (name, sha256) values ($1, $2)', [name, sha256])
}
