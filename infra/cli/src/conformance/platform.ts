import { randomBytes, randomInt } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashApiKey } from '@despatch/access/api-keys'
import { type ConsumerSeed, seedConsumer } from '@despatch/access/seed'
import { keysOfRoot } from '@despatch/config/keys-of-root'
import { readConfig } from '@despatch/config/read-config'
import { startObjectStore } from '@despatch/embedded/object-store'
import { startPostgres } from '@despatch/embedded/postgres'
import { fulfilmentConfig } from '@despatch/fulfilment/config'
import { createFulfilment } from '@despatch/fulfilment/service'
import { close, type Service } from '@despatch/http/service'
import {
  type ObjectStore,
  type ObjectStoreSettings,
  openObjectStore,
} from '@despatch/object-store/object-store'
import { insertProvider } from '@despatch/store/access/consumers'
import { saveUsagePlan } from '@despatch/store/access/usage-plan-limits'
import { type Database, openDatabase } from '@despatch/store/database'
import { migrate } from '@despatch/store/migrate'
import { createLogger } from '@despatch/telemetry/logger'
import { thirdpartyAccessConfig } from '@despatch/thirdparty-access/config'
import { createThirdpartyAccess } from '@despatch/thirdparty-access/service'
import type { ConformanceCredentials } from './credentials-file.ts'

type Servers = { databaseUrl: string; objectStore: ObjectStoreSettings }

/** The real services that a provider calls, with their own database and object store. */
export type Platform = {
  access: Service['api']
  fulfilment: Service['api']
  database: Database
  objects: ObjectStore
  credentials: ConformanceCredentials
  /** The sender of the letters. */
  sender: { consumerId: string; contractId: string; apiKeyHash: string }
  close(): Promise<void>
}

export type PlatformOptions = {
  credentials: ConformanceCredentials
  /** Default: embedded ones with their data in a temporary directory. */
  servers?: Servers | undefined
  /** Where the numbers of print runs and documents start. Default: a random one, because clients remember them. */
  numbersFrom?: number | undefined
}

export const providerId = 'conformance'
const numbersMax = 800_000
const unlimited = { requestsPerSecond: 1_000_000, burst: 0, requestsPerDay: null }

/** Starts the services in this process. They do not listen: requests are injected. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { credentials, numbersFrom = randomInt(numbersMax) } = options
  const parts = new AsyncDisposableStack()
  try {
    const { databaseUrl, objectStore } = options.servers ?? (await startServers(parts))
    const environment = {
      DATABASE_URL: databaseUrl,
      S3_ENDPOINT: objectStore.endpoint,
      S3_REGION: objectStore.region,
      S3_BUCKET: objectStore.bucket,
      S3_ACCESS_KEY_ID: objectStore.accessKeyId,
      S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
      ...keysOfRoot(randomBytes(32).toString('hex')),
      DESPATCH_FILE_DROP_INTERVAL_MS: '0',
      DESPATCH_SOURCE_REQUESTS_PER_SECOND: '100000',
      PORT: '0',
    }
    // The transcript is the kit's log.
    const log = createLogger({ service: 'provider-conformance', level: 'silent' })
    const open = async (starting: Service | Promise<Service>) => {
      const { api } = parts.adopt(await starting, close)
      await api.ready()
      return api
    }
    const database = parts.adopt(
      openDatabase(databaseUrl, { name: 'conformance', connectionsMax: 4 }),
      close,
    )
    const objects = parts.adopt(openObjectStore(objectStore), close)
    const sender = await seed(database, { credentials, numbersFrom })
    const accessSettings = readConfig(thirdpartyAccessConfig, environment)
    return {
      fulfilment: await open(createFulfilment(readConfig(fulfilmentConfig, environment), { log })),
      access: await open(createThirdpartyAccess(accessSettings, { log })),
      database,
      objects,
      credentials,
      sender,
      close: () => parts.disposeAsync(),
    }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

async function startServers(parts: AsyncDisposableStack): Promise<Servers> {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-conformance-'))
  parts.defer(() => rm(directory, { recursive: true, force: true }))
  // Under root, the account of PostgreSQL must be able to enter the directory.
  await chmod(directory, 0o711)
  const durable = false
  const postgres = await startPostgres({ directory: join(directory, 'postgres'), durable })
  parts.defer(() => postgres.stop())
  const place = { directory: join(directory, 'objects'), bucket: 'despatch', durable }
  const objectStore = await startObjectStore(place)
  parts.defer(() => objectStore.stop())
  await migrate(postgres.url)
  return { databaseUrl: postgres.url, objectStore }
}

async function seed(
  { db, pool }: Database,
  { credentials, numbersFrom }: { credentials: ConformanceCredentials; numbersFrom: number },
): Promise<Platform['sender']> {
  await pool.query(`select setval('print_run_number', $1), setval('document_number', $2)`, [
    100_000 + numbersFrom,
    100_000_000 + numbersFrom * 1_000,
  ])
  const services = ['print-fulfilment', 'thirdparty-access']
  const limits = services.map((service) => ({ service, ...unlimited }))
  await saveUsagePlan(db, { name: 'standard', limits })
  await insertProvider(db, { id: providerId, name: 'Conformance', printLocations: ['CONFORMANCE'] })
  await seedConsumer(db, {
    ...credentials,
    name: 'Conformance',
    roles: ['provider'],
    providerId,
    contracts: [],
  })
  const apiKey = randomBytes(32).toString('base64url')
  const sender: ConsumerSeed = {
    userName: `${credentials.userName} sender`,
    name: 'Sender',
    password: apiKey,
    apiKey,
    roles: ['consumer'],
    contracts: [{ jobType: 'LETTER', templateReference: 'LETTER', production: 'letter' }],
  }
  const consumerId = await seedConsumer(db, sender)
  const { rows } = await pool.query('select id from contract where consumer_id = $1', [consumerId])
  return { consumerId, contractId: rows[0].id, apiKeyHash: hashApiKey(apiKey).toString('hex') }
}
