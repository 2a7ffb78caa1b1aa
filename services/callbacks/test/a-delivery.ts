import type { Service } from '@despatch/http/service'
import { createLogger } from '@despatch/telemetry/logger'
import { type ADatabase, aDatabase } from '@despatch/testing/a-database'
import { type CallbackReceiver, startCallbackReceiver } from '@despatch/testing/callback-receiver'
import { eventually } from '@despatch/testing/eventually'
import type { CallbacksConfig } from '../src/config.ts'
import { type CallbacksOptions, createCallbacks } from '../src/service.ts'
import { loopback } from './receivers.ts'
import { secretKey } from './seed-callback.ts'

export type Delivery = {
  database: ADatabase
  /** The address of the receiver. */
  url: string
  logged: string[]
  /** Starts another process. `Delivery.close` stops it if the test has not. */
  startService(
    config?: Partial<CallbacksConfig>,
    options?: Omit<CallbacksOptions, 'log'>,
  ): Promise<Service>
  startReceiver(): Promise<CallbackReceiver>
  /** Waits until a callback has ended. */
  ended(id: string): Promise<{ state: string; endReason: string | null; attempts: number }>
  /** Returns the outcomes of its attempts, in order. */
  outcomes(id: string): Promise<string[]>
  close(): Promise<void>
}

/** A database, and as many delivering processes and receivers as a test starts. */
export async function startDelivery(): Promise<Delivery> {
  const database = await aDatabase({ connectionsMax: 6 })
  const { db } = database
  const logged: string[] = []
  const log = createLogger({
    service: 'callbacks',
    destination: { write: (line) => void logged.push(line) },
  })
  const closers: (() => Promise<void>)[] = []

  return {
    database,
    url: database.url,
    logged,
    startService: async (config = {}, options = {}) => {
      const service = await createCallbacks(
        {
          DATABASE_URL: database.serviceUrl('callbacks'),
          HOST: '127.0.0.1',
          PORT: 0,
          DESPATCH_SOURCE_REQUESTS_PER_SECOND: 50,
          DESPATCH_CONNECTIONS_MAX: 1_000,
          DESPATCH_KEEP_ALIVE_MS: 72_000,
          LOG_LEVEL: 'info',
          DESPATCH_KEY_CALLBACKS: secretKey,
          DESPATCH_KEY_CALLBACKS_PREVIOUS: [],
          DESPATCH_CALLBACK_ALLOW: loopback,
          DESPATCH_CALLBACK_CONCURRENCY: 256,
          DESPATCH_CALLBACK_ORIGIN_RATE: 500,
          DESPATCH_CALLBACK_ORIGIN_CONCURRENCY: 64,
          ...config,
        },
        { log, ...options },
      )
      let closed: Promise<void> | undefined
      const close = () => {
        closed ??= service.close()
        return closed
      }
      closers.push(close)
      return { ...service, close }
    },
    startReceiver: async () => {
      const receiver = await startCallbackReceiver()
      closers.push(() => receiver.stop())
      return receiver
    },
    ended: (id) =>
      eventually(
        () =>
          db
            .selectFrom('callback')
            .select(['state', 'end_reason as endReason', 'attempts'])
            .where('id', '=', id)
            .where('state', 'in', ['DELIVERED', 'DEAD'])
            .executeTakeFirst(),
        { message: 'the callback has ended' },
      ),
    outcomes: async (id) => {
      const attempts = await db
        .selectFrom('callback_attempt')
        .select('outcome')
        .where('callback_id', '=', id)
        .orderBy('number')
        .execute()
      return attempts.map(({ outcome }) => outcome)
    },
    close: async () => {
      for (const close of closers.toReversed()) await close()
      await database.close()
    },
  }
}
