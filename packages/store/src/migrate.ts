import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { BoundedClient } from '@despatch/postgres/bounded-client'
import type pg from 'pg'

const directory = new URL('../migrations/', import.meta.url)
/** For one migration of a large database, and for the process that migrates before this one. */
const silenceMsMax = 6 * 3_600_000
/** Spells DESP: one migration at a time, whichever process starts first. */
const advisoryLock = 0x44455350

/**
 * Brings the database up to the newest migration, in one transaction each, in the order of their numbers.
 * Safe to repeat and to run from several processes at once.
 * Throws when a migration that has already run was edited since, or the database is newer than this release.
 */
export async function migrate(databaseUrl: string): Promise<{ applied: string[] }> {
  const client = new BoundedClient({
    connectionString: databaseUrl,
    application_name: 'migrate',
    silenceMsMax,
  })
  // what breaks the connection fails the statement that waits
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLock])
    await client.query(
      'create table if not exists migration (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    )
    return { applied: await applyMissing(client, await readMigrations()) }
  } finally {
    await client.end()
  }
}

export type Migration = { name: string; sql: string; sha256: string }

/** The migrations of this release, in the order of their numbers. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, directory), 'utf8')
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function applyMissing(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from migration',
  )
  const known = new Map(rows.map(({ name, sha256 }) => [name, sha256]))
  for (const name of known.keys()) {
    if (migrations.some((migration) => migration.name === name)) continue
    throw new Error(`The database has migration ${name}, which this release does not know`)
  }
  const applied: string[] = []
  for (const { name, sql, sha256 } of migrations) {
    const before = known.get(name)
    if (before === sha256) continue
    if (before) throw new Error(`Migration ${name} has been edited since it ran on this database`)
    await applyOne(client, { name, sql, sha256 })
    applied.push(name)
  }
  return applied
}

async function applyOne(client: pg.Client, { name, sql, sha256 }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into migration (name, sha256) values ($1, $2)', [name, sha256])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
    throw new Error(`Migration ${name} failed`, { cause })
  }
}
