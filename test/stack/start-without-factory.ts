import { insertProvider } from '@despatch/store/access/consumers'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { type SomePrintRuns, somePrintRuns } from '@despatch/testing/some-print-runs'
import { type Credentials, makeDirectory, startDespatch } from './start-despatch.ts'

/**
 * Starts a Despatch whose print runs go to the provider `north`, which does nothing automatically: the test advances
 * the runs.
 */
export async function startWithoutFactory(): Promise<
  AsyncDisposable & { credentials: Credentials; runs: SomePrintRuns }
> {
  await using parts = new AsyncDisposableStack()
  const database = await cloneDatabase()
  parts.defer(() => database.drop())
  const directory = parts.use(await makeDirectory())
  const { credentials } = parts.use(
    await startDespatch(directory.path, {
      DATABASE_URL: database.url,
      ...objectStoreSettings(),
      DESPATCH_SIMULATOR: 'off',
    }),
  )
  const runs = await somePrintRuns(database.url)
  parts.defer(() => runs.close())
  await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
  await runs.pool.query(`update print_site set share = 0 where provider_id <> 'north'`)
  const started = parts.move()
  return { credentials, runs, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
