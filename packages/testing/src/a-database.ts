import type { DatabaseService } from '@despatch/postgres/service-roles'
import { type Database, type DatabaseOptions, openDatabase } from '@despatch/store/database'
import { cloneDatabase, type TestDatabase } from './clone-database.ts'

/** A migrated database with connections to it. `close` also drops it. */
export type ADatabase = Database &
  Pick<TestDatabase, 'url' | 'serviceUrl'> & {
    /** Opens more connections, with the login of a service. `close` closes them too. */
    openAs(service: DatabaseService): Database
  }

/** Creates a migrated database, with the queues' tables, and opens it. */
export async function aDatabase({
  connectionsMax = 4,
  ...options
}: Partial<DatabaseOptions> = {}): Promise<ADatabase> {
  const { url, serviceUrl, drop } = await cloneDatabase()
  const { db, pool, close } = openDatabase(url, { name: 'test', connectionsMax, ...options })
  const closers = [close]
  const openAs = (service: DatabaseService) => {
    const own = openDatabase(serviceUrl(service), { name: service, connectionsMax, ...options })
    closers.push(own.close)
    return own
  }
  const closeAndDrop = async () => {
    await Promise.all(closers.map((closeOne) => closeOne()))
    await drop()
  }
  return { db, pool, url, serviceUrl, openAs, close: closeAndDrop }
}
