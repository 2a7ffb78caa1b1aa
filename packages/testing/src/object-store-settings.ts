import { inject } from 'vitest'

/** The settings that name the object store of the test run. */
export function objectStoreSettings(objectStore = inject('infra').objectStore) {
  return {
    S3_ENDPOINT: objectStore.endpoint,
    S3_REGION: objectStore.region,
    S3_BUCKET: objectStore.bucket,
    S3_ACCESS_KEY_ID: objectStore.accessKeyId,
    S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
  }
}
