import { cloneDatabase } from '@despatch/testing/clone-database'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { type Despatch, makeDirectory, startDespatch } from './start-despatch.ts'

/** Despatch with its own database and directory, which are removed when it is disposed. */
export type ADespatch = Despatch & { directory: string; databaseUrl: string }

/** Starts Despatch on the PostgreSQL and the object store of the test run. */
export async function aDespatch(
  environment: Record<string, string> = {},
  { prepare = async () => {} }: { prepare?: (databaseUrl: string) => Promise<void> } = {},
): Promise<ADespatch> {
  await using starting = new AsyncDisposableStack()
  const { path: directory } = starting.use(await makeDirectory())
  const { url: databaseUrl, drop } = await cloneDatabase()
  starting.defer(drop)
  await prepare(databaseUrl)
  const settings = { DATABASE_URL: databaseUrl, ...objectStoreSettings(), ...environment }
  const despatch = starting.use(await startDespatch(directory, settings))
  const parts = starting.move()
  return { ...despatch, directory, databaseUrl, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}
