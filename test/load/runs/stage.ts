import { type Database, openDatabase } from '@despatch/store/database'
import { insertConsumer, type StoredConsumer } from '@despatch/testing/print-job-builders'
import { profileFlags, type Settings } from '../command-line.ts'
import type { Ground } from '../ground.ts'
import { type FulfilmentSide, startFulfilment } from './fulfilment-side.ts'
import { makeProvider } from './provider.ts'

/** A database with a consumer and a provider, and the fulfilment service in front of it. */
export type Stage = {
  ground: Ground
  settings: Settings
  database: Database
  consumer: StoredConsumer
  fulfilment: FulfilmentSide
  /** Starts another process of the service on the same database. */
  startAnother(): Promise<FulfilmentSide>
  close(): Promise<void>
}

/** Seeding takes longer than any statement of a service. */
const statementTimeoutMs = 600_000

export async function openStage(
  ground: Ground,
  settings: Settings,
  databaseUrl: string,
): Promise<Stage> {
  const parts = new AsyncDisposableStack()
  try {
    const database = openDatabase(databaseUrl, {
      name: 'bench',
      connectionsMax: 2,
      statementTimeoutMs,
    })
    parts.defer(() => database.close())
    const headers = await makeProvider(database.db, ground.environment.DESPATCH_SECRET_KEY!)
    const start = async (nodeFlags: readonly string[]) => {
      const side = await startFulfilment(ground, { headers, databaseUrl, nodeFlags })
      parts.defer(() => side.close())
      return side
    }
    return {
      ground,
      settings,
      database,
      consumer: await insertConsumer(database.db),
      fulfilment: await start(profileFlags(settings)),
      startAnother: () => start([]),
      close: () => parts.disposeAsync(),
    }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}
