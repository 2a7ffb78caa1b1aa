import { expect, test } from 'vitest'
import { objectStoreFrom } from './settings.ts'

const given = {
  S3_ENDPOINT: 'http://store.example',
  S3_REGION: 'eu-west-2',
  S3_BUCKET: 'letters',
  S3_FORCE_PATH_STYLE: false,
}

test.each([
  { S3_ENDPOINT: 'http://127.0.0.1:9000' },
  { S3_ENDPOINT: 'http://[::1]:9000' },
  { S3_PUBLIC_ENDPOINT: 'https://192.0.2.1' },
])('refuses a bucket in the host name of an IP address: %o', (change) => {
  expect(() => objectStoreFrom({ ...given, ...change })).toThrow(/must have names/)
  expect(objectStoreFrom({ ...given, ...change, S3_FORCE_PATH_STYLE: true })).toMatchObject({
    forcePathStyle: true,
  })
  expect(objectStoreFrom(given)).toMatchObject({ endpoint: 'http://store.example' })
})

test.each([{ S3_ACCESS_KEY_ID: 'key' }, { S3_SECRET_ACCESS_KEY: 'secret' }])(
  'refuses half of an access key: %o',
  (half) => {
    expect(() => objectStoreFrom({ ...given, ...half })).toThrow(/must be given together/)
  },
)
