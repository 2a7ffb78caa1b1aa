import { type Database, type DatabaseOptions, openDatabase } from '@despatch/store/database'
import { cloneDatabase, type TestDatabase } from './clone-database.ts'

/** A migrated database with connections to it. `close` also drops it. */
export type ADatabase = Database & Pick<TestDatabase, 'url' | 'serviceUrl'>

/** Creates a migrated database, with the queues' tables, and opens it. */
export async function aDatabase({
  connectionsMax = 4,
  ...options
}: Partial<DatabaseOptions> = {}): Promise<ADatabase> {
  const { url, serviceUrl, drop } = await cloneDatabase()
  const { db, pool, close } = openDatabase(url, { name: 'test', connectionsMax, ...options })
  const closeAndDrop = async () => {
    await close()
    await drop()
  }
  return { db, pool, url, serviceUrl, close: closeAndDrop }
}
