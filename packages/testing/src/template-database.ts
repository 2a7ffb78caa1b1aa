import { prepareQueues } from '@despatch/queue/prepare-queues'
import { migrate } from '@despatch/store/migrate'
import pg from 'pg'
import { servicePasswords } from './service-logins.ts'

const template = 'despatch_template'
const noSuchDatabase = '3D000'
const pools = new Map<string, pg.Pool>()

/**
 * Creates the logins of the services, and the template of the test databases: migrated, with the queues' tables. A
 * template that an earlier run has left on a given server is replaced.
 */
export async function makeTemplateDatabase(postgresUrl: string): Promise<void> {
  await run(postgresUrl, `alter database ${template} is_template false`).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== noSuchDatabase) throw error
  })
  await dropDatabase(postgresUrl, template)
  await run(postgresUrl, `create database ${template}`)
  const url = databaseUrl(postgresUrl, template)
  await migrate(url, { passwords: servicePasswords })
  await prepareQueues(url)
  // A database can be copied only while no session is connected to it.
  await run(postgresUrl, `alter database ${template} is_template true allow_connections false`)
}

/** Creates a database of this name as a copy of the template. Returns its address. */
export async function copyTemplateDatabase(postgresUrl: string, name: string): Promise<string> {
  // Copying the files takes less than half as long as logging each block, which is the default.
  await run(postgresUrl, `create database ${name} template ${template} strategy file_copy`)
  return databaseUrl(postgresUrl, name)
}

/** Drops a database, and ends the sessions that are still connected to it. */
export async function dropDatabase(postgresUrl: string, name: string): Promise<void> {
  await run(postgresUrl, `drop database if exists ${name} with (force)`)
}

function databaseUrl(postgresUrl: string, name: string): string {
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Runs a statement with the one session that this process keeps for them: to open a session costs more than most. */
async function run(url: string, statement: string): Promise<void> {
  const pool = pools.get(url) ?? openPool(url)
  pools.set(url, pool)
  await pool.query(statement)
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'testing',
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  // at the end of a run the server stops first
  pool.on('error', () => {})
  return pool
}
