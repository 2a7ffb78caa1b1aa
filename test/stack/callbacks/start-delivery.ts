import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { insertConsumer, type StoredConsumer } from '@despatch/testing/print-job-builders'
import { type ServiceProcess, startService } from '../start-service.ts'
import {
  addCallbacks,
  addCalledPrintJobs,
  type CallbackTarget,
  type CalledPrintJob,
} from './add-callbacks.ts'

/** The services that deliver callbacks, as separate processes, and a consumer whose print jobs owe callbacks. */
export type Delivery = AsyncDisposable & {
  database: Database
  consumer: StoredConsumer
  addPrintJobs(places: readonly CallbackTarget[]): Promise<CalledPrintJob[]>
  /** Does the same for a contract whose callbacks go one at a time. */
  addStrictPrintJobs(places: readonly CallbackTarget[]): Promise<CalledPrintJob[]>
  owe(printJobs: readonly CalledPrintJob[]): Promise<void>
  startDeliverer(): Promise<ServiceProcess>
  /** Returns the number of callbacks that are neither delivered nor dead. */
  countLeft(): Promise<number>
  untilAllIsOver(deadlineMs: number): Promise<void>
}

/** The name that distinguishes the test's own sessions from the sessions of the services. */
export const ownSessions = 'faults'

/** Prepares a delivery. The test starts the deliverers. */
export async function startDelivery(databaseUrl: string): Promise<Delivery> {
  const parts = new AsyncDisposableStack()
  try {
    const secretKey = randomBytes(32).toString('hex')
    const environment = {
      DATABASE_URL: databaseUrl,
      DESPATCH_KEY_CALLBACKS: secretKey,
      DESPATCH_CALLBACK_ALLOW: '127.0.0.0/8',
    }
    const database = openDatabase(databaseUrl, { name: ownSessions, connectionsMax: 4 })
    parts.defer(() => database.close())
    const consumer = await insertConsumer(database.db)
    const strict = await insertConsumer(database.db)
    await database.pool.query(
      `update contract set consumer_id = $1, callback_order = 'strict', template_reference = 'STRICT' where id = $2`,
      [consumer.consumerId, strict.contractId],
    )

    async function countLeft(): Promise<number> {
      const { rows } = await database.pool.query<{ count: number }>(
        `select count(*) from callback where consumer_id = $1 and state in ('WAITING', 'DUE')`,
        [consumer.consumerId],
      )
      return rows[0]!.count
    }

    return {
      database,
      consumer,
      addPrintJobs: (places) => addCalledPrintJobs(database, consumer, { secretKey, places }),
      addStrictPrintJobs: (places) =>
        addCalledPrintJobs(
          database,
          { ...consumer, contractId: strict.contractId },
          { secretKey, places },
        ),
      owe: (printJobs) => addCallbacks(database, printJobs),
      startDeliverer: async () => parts.use(await startService('callbacks', environment)),
      countLeft,
      untilAllIsOver: async (deadlineMs) => {
        await eventually(async () => (await countLeft()) === 0, {
          deadlineMs,
          pollMs: 100,
          message: 'every callback has ended',
        })
      },
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}
