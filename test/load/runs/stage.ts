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
  close(): Promise<void>
}

/** Seeding takes longer than any statement of a service. */
const statementTimeoutMs = 600_000

export async function openStage(ground: Ground, settings: Settings): Promise<Stage> {
  const parts = new AsyncDisposableStack()
  try {
    const database = openDatabase(ground.databaseUrl, {
      name: 'bench',
      connectionsMax: 2,
      statementTimeoutMs,
    })
    parts.defer(() => database.close())
    const headers = await makeProvider(database.db, ground.environment.DESPATCH_KEY_SIGNING!)
    const fulfilment = await startFulfilment(ground, { headers, nodeFlags: profileFlags(settings) })
    parts.defer(() => fulfilment.close())
    return {
      ground,
      settings,
      database,
      consumer: await insertConsumer(database.db),
      fulfilment,
      close: () => parts.disposeAsync(),
    }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}
