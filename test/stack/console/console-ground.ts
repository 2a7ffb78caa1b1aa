import { openDatabase } from '@despatch/store/database'
import { anOidcProvider, type Person } from '@despatch/testing/an-oidc-provider'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { onFreePort } from '@despatch/testing/on-free-port'
import { publishTemplate } from '@despatch/testing/publish-template'
import pg from 'pg'
import { inject } from 'vitest'
import { aConsumer, type Consumer } from '../a-consumer.ts'
import { type RecordingReceiver, startRecordingReceiver } from '../callbacks/recording-receiver.ts'
import { type Credentials, makeDirectory, startDespatch } from '../start-despatch.ts'

/** A whole Despatch with a working factory, in which a test can cause failures. */
export type ConsoleGround = AsyncDisposable & {
  credentials: Credentials
  consumer: Consumer
  /** The receiver of the callbacks. */
  receiver: RecordingReceiver
  /** Those whom the OpenID provider knows, by their names there. */
  people: Record<string, Person>
  query(sql: string, values?: unknown[]): Promise<unknown[]>
}

/** Publishes two versions of a template, which print different pages. */
async function publishTemplates(url: string): Promise<void> {
  const { db, close } = openDatabase(url, { name: 'test', connectionsMax: 1 })
  await publishTemplate(db)
  await publishTemplate(
    db,
    '#import "/despatch.typ": *\n\n= Another letter\n\nDear #fields.name,\n',
  )
  await close()
}

/** Starts a ground. Every reprint waits for a second person. */
export async function startConsoleGround(): Promise<ConsoleGround> {
  const parts = new AsyncDisposableStack()
  try {
    const directory = parts.use(await makeDirectory())
    const database = await cloneDatabase()
    parts.defer(() => database.drop())
    const { objectStore } = inject('infra')
    const receiver = parts.use(await startRecordingReceiver())
    const people: Record<string, Person> = {}
    const { credentials } = await onFreePort(async (port) => {
      const consoleUrl = `http://127.0.0.1:${port}`
      const oidc = await anOidcProvider({ consoleUrl, people })
      parts.defer(oidc.close)
      return parts.use(
        await startDespatch(directory.path, {
          ...oidc.settings,
          DESPATCH_OPS_PORT: String(port),
          DATABASE_URL: database.url,
          S3_ENDPOINT: objectStore.endpoint,
          S3_REGION: objectStore.region,
          S3_BUCKET: objectStore.bucket,
          S3_ACCESS_KEY_ID: objectStore.accessKeyId,
          S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
          DESPATCH_ENVIRONMENT: 'uat',
          // A canary would be one more task of a paused queue.
          DESPATCH_CANARY_INTERVAL_MS: '86400000',
          DESPATCH_PRINT_RUN_AGE_MS: '300',
          DESPATCH_SIMULATOR: 'on',
        }),
      )
    })
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    parts.defer(() => client.end())
    await client.query('update print_site set reprints_free_max = 0, reprints_free_percent = 0')
    await publishTemplates(database.url)
    const held = parts.move()
    return {
      credentials,
      consumer: await aConsumer(credentials.baseUrl, credentials.consumer),
      receiver,
      people,
      query: async (sql, values) => (await client.query(sql, values)).rows,
      [Symbol.asyncDispose]: () => held.disposeAsync(),
    }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}
