import type { ObjectStoreSettings } from './object-store.ts'

type Environment = {
  S3_ENDPOINT: string
  S3_PUBLIC_ENDPOINT?: string | undefined
  S3_REGION: string
  S3_BUCKET: string
  S3_ACCESS_KEY_ID: string
  S3_SECRET_ACCESS_KEY: string
}

/** Returns the object store that the settings of a service name. */
export function objectStoreFrom(settings: Environment): ObjectStoreSettings {
  return {
    endpoint: settings.S3_ENDPOINT,
    publicEndpoint: settings.S3_PUBLIC_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET,
    accessKeyId: settings.S3_ACCESS_KEY_ID,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
  }
}
