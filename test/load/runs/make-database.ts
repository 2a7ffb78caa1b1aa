import { migrate } from '@despatch/store/migrate'
import pg from 'pg'
import type { Ground } from '../ground.ts'

/** Creates another database on the same server, with our tables, and returns its address. */
export async function makeDatabase({ databaseUrl }: Ground, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(`create database ${name}`)
  } finally {
    await client.end()
  }
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  await migrate(url.href)
  return url.href
}
