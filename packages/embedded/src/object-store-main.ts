import { once } from 'node:events'
import { readSetting } from '@despatch/config/secret-settings'
import { startObjectStore } from './object-store.ts'

/** Runs the object store as a separate process, for a deployment in containers. */
const {
  HOST = '127.0.0.1',
  PORT = '9000',
  S3_DIRECTORY = '.despatch/objects',
  DESPATCH_UPLOAD_BYTES_MAX: linkBytesMax = String(10 * 1024 * 1024),
} = process.env
if (!/^[1-9]\d{0,14}$/.test(linkBytesMax)) {
  refuse('DESPATCH_UPLOAD_BYTES_MAX must be a whole number of bytes')
}
const store = await startObjectStore({
  directory: S3_DIRECTORY,
  host: HOST,
  port: Number(PORT),
  linkBytesMax: Number(linkBytesMax),
  bucket: required('S3_BUCKET'),
  accessKeyId: required('S3_ACCESS_KEY_ID'),
  secretAccessKey: required('S3_SECRET_ACCESS_KEY'),
})
process.stdout.write(`The object store listens at ${store.endpoint}\n`)

await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await store.stop()

/** Reads a setting as the services do: a secret may be in a file. */
function required(name: string): string {
  try {
    return readSetting(name, process.env) ?? refuse(`${name} is not set`)
  } catch (error) {
    return refuse(`${name} ${(error as Error).message}`)
  }
}

function refuse(reason: string): never {
  process.stderr.write(`The object store cannot start: ${reason}\n`)
  process.exit(1)
}
