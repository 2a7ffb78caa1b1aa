import { openObjectStore } from '@despatch/object-store/object-store'

/** Opens the object store of the ground. */
export function openObjects({
  S3_ENDPOINT,
  S3_BUCKET,
  S3_ACCESS_KEY_ID,
  S3_SECRET_ACCESS_KEY,
}: Readonly<Record<string, string | undefined>>) {
  return openObjectStore({
    endpoint: S3_ENDPOINT!,
    region: 'eu-west-2',
    bucket: S3_BUCKET!,
    accessKeyId: S3_ACCESS_KEY_ID!,
    secretAccessKey: S3_SECRET_ACCESS_KEY!,
  })
}
