import { randomBytes } from 'node:crypto'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { copyTemplateDatabase, dropDatabase } from '@despatch/testing/template-database'
import type { TestProject } from 'vitest/node'
import { liftUsagePlans } from './lift-usage-plans.ts'
import { type Credentials, makeDirectory, startDespatch } from './start-despatch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    despatch: { credentials: Credentials; databaseUrl: string; directory: string }
  }
}

/** The `globalSetup` of the end-to-end tests. Starts the Despatch of all files that call `sharedDespatch`. */
export default async function provideDespatch(project: TestProject): Promise<() => Promise<void>> {
  const { postgresUrl, objectStore } = project.getProvidedContext().infra
  await using starting = new AsyncDisposableStack()
  const { path: directory } = starting.use(await makeDirectory())
  const name = `shared_${randomBytes(6).toString('hex')}`
  const databaseUrl = await copyTemplateDatabase(postgresUrl, name)
  starting.defer(() => dropDatabase(postgresUrl, name))
  await liftUsagePlans(databaseUrl)
  const { credentials } = starting.use(
    await startDespatch(directory, {
      DATABASE_URL: databaseUrl,
      ...objectStoreSettings(objectStore),
      DESPATCH_PRINT_RUN_AGE_MS: '300',
      DESPATCH_SIMULATOR: 'on',
    }),
  )
  project.provide('despatch', { credentials, databaseUrl, directory })
  const parts = starting.move()
  return () => parts.disposeAsync()
}
