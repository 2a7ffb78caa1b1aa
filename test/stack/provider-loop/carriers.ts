import { cloneDatabase } from '@despatch/testing/clone-database'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import type { LoopEnvironment } from './start-provider-loop.ts'

/** Returns a new database, on the servers that the tests of this run share. */
export async function takeCarriers(): Promise<AsyncDisposable & { environment: LoopEnvironment }> {
  const { url, drop } = await cloneDatabase()
  return {
    environment: { DATABASE_URL: url, ...objectStoreSettings() },
    [Symbol.asyncDispose]: drop,
  }
}
