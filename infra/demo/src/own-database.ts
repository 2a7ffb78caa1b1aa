import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { reasonOf } from './fetch-or-explain.ts'

export type OwnDatabase = AsyncDisposable & { url: string }

const insufficientPrivilege = '42501'

/**
 * Creates a database on the server of a given one, so that the demo's users and letters do not stay in an existing
 * database. Disposing drops it. Returns undefined if the account may not create databases.
 */
export async function makeOwnDatabase(givenUrl: string): Promise<OwnDatabase | undefined> {
  const name = `despatch_demo_${randomBytes(6).toString('hex')}`
  try {
    await execute(givenUrl, `create database ${name}`)
  } catch (error) {
    if ((error as { code?: string }).code === insufficientPrivilege) return undefined
    throw new Error(`the database at DATABASE_URL: ${reasonOf(error)}`, { cause: error })
  }
  const url = new URL(givenUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => execute(givenUrl, `drop database if exists ${name} with (force)`),
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
    await client.query(statement)
  } finally {
    await client.end()
  }
}
