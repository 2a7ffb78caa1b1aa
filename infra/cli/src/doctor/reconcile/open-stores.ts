import { objectStoreSettings } from '@despatch/config/shared-settings'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import { objectStoreFrom } from '@despatch/object-store/settings'
import { type Db, openDatabase } from '@despatch/store/database'
import type { CommandContext } from '../../command-context.ts'
import { Failure, wrongUsage } from '../../failure.ts'
import { reasonWithoutSecrets } from '../finding.ts'

const required = [
  'DATABASE_URL',
  'S3_ENDPOINT',
  'S3_BUCKET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
] as const
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
  const missing = required.filter((name) => !environment[name])
  if (missing.length > 0) throw wrongUsage(`${missing.join(', ')} must be set, as for the services`)
  await using parts = new AsyncDisposableStack()
  const { db } = parts.adopt(
    openDatabase(environment.DATABASE_URL!, {
      name: 'doctor',
      connectionsMax: 2,
      statementTimeoutMs,
    }),
    (database) => database.close(),
  )
  const objects = parts.adopt(
    openObjectStore(
      objectStoreFrom({
        S3_ENDPOINT: environment.S3_ENDPOINT!,
        S3_BUCKET: environment.S3_BUCKET!,
        S3_ACCESS_KEY_ID: environment.S3_ACCESS_KEY_ID!,
        S3_SECRET_ACCESS_KEY: environment.S3_SECRET_ACCESS_KEY!,
        S3_REGION: objectStoreSettings.S3_REGION.parse(environment.S3_REGION || undefined),
      }),
    ),
    (store) => store.close(),
  )
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
