import { readConfig } from '@despatch/config/read-config'
import { databaseSettings, objectStoreSettings } from '@despatch/config/shared-settings'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { type Db, openDatabase } from '@despatch/store/database'
import { z } from 'zod'
import type { CommandContext } from '../../command-context.ts'
import { Failure, wrongUsage } from '../../failure.ts'
import { reasonWithoutSecrets } from '../finding.ts'

const required = z.object({ ...databaseSettings, ...objectStoreSettings })
/** Pages are short, but some are selected from all letters under way. */
const statementTimeoutMs = 120_000

/**
 * Opens the database and the bucket of the environment for the work, and closes them after it. Throws a Failure that
 * names what is missing or cannot be reached, without its address.
 */
export async function withStores<Result>(
  environment: CommandContext['environment'],
  work: (stores: { db: Db; objects: ObjectStore }) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, objectStore } = readSettings(environment)
  await using parts = new AsyncDisposableStack()
  const { db } = parts.adopt(
    openDatabase(databaseUrl, {
      name: 'doctor',
      connectionsMax: 2,
      statementTimeoutMs,
    }),
    (database) => database.close(),
  )
  const objects = parts.adopt(openObjectStore(objectStore), (store) => store.close())
  try {
    return await work({ db, objects })
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure(`it did not finish, so there may be more (${reasonWithoutSecrets(cause)})`, {
      exitCode: 1,
      cause,
    })
  }
}

/** Throws a Failure for settings that are missing or do not fit together. */
function readSettings(environment: CommandContext['environment']) {
  try {
    const settings = readConfig(required, environment)
    return { databaseUrl: settings.DATABASE_URL, objectStore: objectStoreFrom(settings) }
  } catch (error) {
    throw wrongUsage((error as Error).message)
  }
}
