import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { copyTemplateDatabase, dropDatabase } from './template-database.ts'

export type TestDatabase = { url: string; drop(): Promise<void> }

/**
 * A fresh, migrated database for one test file, with the queues' tables too. Dropping it ends the
 * sessions that are still open on it.
 */
export async function cloneDatabase(): Promise<TestDatabase> {
  const { postgresUrl } = inject('infra')
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = await copyTemplateDatabase(postgresUrl, name)
  return { url, drop: () => dropDatabase(postgresUrl, name) }
}
