import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { keysOfRoot } from '@despatch/config/keys-of-root'
import { readOrMakeSecrets } from '@despatch/embedded/kept-secrets'
import { startObjectStore } from '@despatch/embedded/object-store'
import { startPostgres } from '@despatch/embedded/postgres'
import type { DatabaseService } from '@despatch/postgres/service-roles'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { migrate } from '@despatch/store/migrate'
import { databaseUrlOf, derivePasswords } from './database-passwords.ts'
import type { StandaloneConfig } from './settings.ts'

/** The database, queues and object store, as settings for the services. Those that are not given are embedded. */
type Infrastructure = {
  environment: Record<string, string>
  /** The address of the database for its owner, who migrates it. No service has it if the services have logins. */
  ownerUrl: string
  /** Returns the address of the database for a service. */
  databaseUrlOf(service: DatabaseService): string
  embedded: string[]
  /** Resolves when an embedded server has ended unexpectedly and could not be restarted. */
  failed: Promise<Error>
}

const bucket = 'despatch'

/** Starts the servers that are not given, and migrates the database and the queues to this release. */
export async function startInfrastructure(
  parts: AsyncDisposableStack,
  config: StandaloneConfig,
  log: (line: string) => void,
): Promise<Infrastructure> {
  const directory = config.DESPATCH_DATA_DIR
  await mkdir(directory, { recursive: true, mode: 0o711 })
  const [database, objects] = await settleAll([
    openDatabase(parts, config, directory, log),
    openObjects(parts, config, directory),
  ])
  const { url: ownerUrl } = database
  const passwords =
    config.DESPATCH_DATABASE_PASSWORDS ??
    (database.embedded.length > 0 ? derivePasswords(ownerUrl) : undefined)
  await migrate(ownerUrl, {
    log,
    ...(passwords && { passwords }),
    isTestEnvironment: config.DESPATCH_ENVIRONMENT === 'uat',
    enquiryAuditDays: config.DESPATCH_ENQUIRY_AUDIT_DAYS,
  })
  await prepareQueues(config.QUEUE_URL ?? ownerUrl)
  const environment = {
    ...objects.environment,
    ...(config.QUEUE_URL && { QUEUE_URL: config.QUEUE_URL }),
    ...keysOfRoot(config.DESPATCH_SECRET_KEY ?? (await keptSecretKey(directory)), {
      previousRootsHex: config.DESPATCH_SECRET_KEY_PREVIOUS,
    }),
  }
  const embedded = [...database.embedded, ...objects.embedded]
  return {
    environment,
    ownerUrl,
    databaseUrlOf: (service) => databaseUrlOf(ownerUrl, service, passwords),
    embedded,
    failed: database.failed,
  }
}

async function openDatabase(
  parts: AsyncDisposableStack,
  { DATABASE_URL }: StandaloneConfig,
  directory: string,
  log: (line: string) => void,
) {
  if (DATABASE_URL) return { url: DATABASE_URL, embedded: [], failed: new Promise<never>(() => {}) }
  const postgres = parts.adopt(
    await startPostgres({ directory: join(directory, 'postgres'), log }),
    stop,
  )
  return { url: postgres.url, embedded: ['PostgreSQL'], failed: postgres.failed }
}

async function openObjects(
  parts: AsyncDisposableStack,
  { S3_ENDPOINT, DESPATCH_UPLOAD_BYTES_MAX: linkBytesMax }: StandaloneConfig,
  directory: string,
): Promise<{ environment: Record<string, string>; embedded: string[] }> {
  if (S3_ENDPOINT) return { environment: {}, embedded: [] }
  const store = parts.adopt(
    await startObjectStore({ directory: join(directory, 'objects'), bucket, linkBytesMax }),
    stop,
  )
  return {
    environment: {
      S3_ENDPOINT: store.endpoint,
      S3_REGION: store.region,
      S3_BUCKET: store.bucket,
      S3_ACCESS_KEY_ID: store.accessKeyId,
      S3_SECRET_ACCESS_KEY: store.secretAccessKey,
    },
    embedded: ['S3 object store'],
  }
}

async function keptSecretKey(directory: string): Promise<string> {
  const { secretKey } = await readOrMakeSecrets(join(directory, 'secret-key'), () => ({
    secretKey: randomBytes(32).toString('hex'),
  }))
  return secretKey
}

function stop(server: { stop(): Promise<void> }): Promise<void> {
  return server.stop()
}

/**
 * Returns the values of promises. Waits for all of them even if one rejects, so that whatever did open is known and can
 * be closed.
 */
export async function settleAll<const Values extends readonly unknown[]>(
  promises: {
    [Index in keyof Values]: Promise<Values[Index]>
  },
): Promise<Values> {
  await Promise.allSettled(promises)
  return (await Promise.all(promises)) as unknown as Values
}
