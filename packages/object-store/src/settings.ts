import { isIP } from 'node:net'
import type { ObjectStoreSettings } from './object-store.ts'

type Environment = {
  S3_ENDPOINT: string
  S3_PUBLIC_ENDPOINT?: string | undefined
  S3_REGION: string
  S3_BUCKET: string
  S3_ACCESS_KEY_ID?: string | undefined
  S3_SECRET_ACCESS_KEY?: string | undefined
  S3_FORCE_PATH_STYLE: boolean
  S3_KMS_KEY_ID?: string | undefined
}

/**
 * Returns the object store that the settings of a service name. Throws if only one half of the access key is given,
 * because the SDK would then silently take other credentials. Throws if the bucket should be in the host name, and an
 * endpoint has an IP address.
 */
export function objectStoreFrom(settings: Environment): ObjectStoreSettings {
  if (!settings.S3_ACCESS_KEY_ID !== !settings.S3_SECRET_ACCESS_KEY) {
    throw new Error('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be given together')
  }
  for (const endpoint of [settings.S3_ENDPOINT, settings.S3_PUBLIC_ENDPOINT ?? '']) {
    if (!settings.S3_FORCE_PATH_STYLE && hasIpAddress(endpoint)) {
      throw new Error(
        'S3_FORCE_PATH_STYLE=false puts the bucket into the host name, so S3_ENDPOINT and S3_PUBLIC_ENDPOINT must have names, not IP addresses',
      )
    }
  }
  return {
    endpoint: settings.S3_ENDPOINT,
    publicEndpoint: settings.S3_PUBLIC_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET,
    accessKeyId: settings.S3_ACCESS_KEY_ID,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
    forcePathStyle: settings.S3_FORCE_PATH_STYLE,
    kmsKeyId: settings.S3_KMS_KEY_ID,
  }
}

function hasIpAddress(endpoint: string): boolean {
  return isIP(URL.parse(endpoint)?.hostname.replace(/^\[|\]$/g, '') ?? '') > 0
}
