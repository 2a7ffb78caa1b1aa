import { insertProvider } from '@despatch/store/access/consumers'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { type SomePrintRuns, somePrintRuns } from '@despatch/testing/some-print-runs'
import { inject } from 'vitest'
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
  const { objectStore } = inject('infra')
  const directory = parts.use(await makeDirectory())
  const { credentials } = parts.use(
    await startDespatch(directory.path, {
      DATABASE_URL: database.url,
      S3_ENDPOINT: objectStore.endpoint,
      S3_REGION: objectStore.region,
      S3_BUCKET: objectStore.bucket,
      S3_ACCESS_KEY_ID: objectStore.accessKeyId,
      S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
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
