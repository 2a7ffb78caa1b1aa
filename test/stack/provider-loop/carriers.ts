import { cloneDatabase } from '@despatch/testing/clone-database'
import { inject } from 'vitest'
import type { LoopEnvironment } from './start-provider-loop.ts'

/** Returns a new database, on the servers that the tests of this run share. */
export async function takeCarriers(): Promise<AsyncDisposable & { environment: LoopEnvironment }> {
  const { url, drop } = await cloneDatabase()
  const { objectStore } = inject('infra')
  return {
    environment: {
      DATABASE_URL: url,
      S3_ENDPOINT: objectStore.endpoint,
      S3_REGION: objectStore.region,
      S3_BUCKET: objectStore.bucket,
      S3_ACCESS_KEY_ID: objectStore.accessKeyId,
      S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
    },
    [Symbol.asyncDispose]: drop,
  }
}
