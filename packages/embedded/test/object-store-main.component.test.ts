import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { presign } from './signed-request.ts'
import { aDirectory } from './temporary-directory.ts'

const main = fileURLToPath(new URL('../src/object-store-main.ts', import.meta.url))
const access = { bucket: 'despatch', accessKeyId: 'DESPATCHTEST' }

function run(directory: string, secret: Record<string, string>) {
  const child = spawn(process.execPath, [main], {
    env: {
      PORT: '0',
      S3_DIRECTORY: join(directory, 'objects'),
      S3_BUCKET: access.bucket,
      S3_ACCESS_KEY_ID: access.accessKeyId,
      ...secret,
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('reads its secret key from a file', async () => {
  const directory = await aDirectory()
  const path = join(directory, 'secret')
  await writeFile(path, 'secret-of-the-file\n')
  const { stdout } = run(directory, { S3_SECRET_ACCESS_KEY_FILE: path })
  const [line] = await once(stdout, 'data')
  const endpoint = /http:\S+/.exec(String(line))![0]

  const store = { ...access, endpoint, region: 'eu-west-2', stop: async () => {} }
  const statusOf = async (secretAccessKey: string) => {
    const address = presign({ ...store, secretAccessKey }, { key: 'uploads/a', method: 'PUT' })
    return (await fetch(address, { method: 'PUT', body: 'a' })).status
  }
  expect([await statusOf('secret-of-the-file'), await statusOf('another')]).toEqual([200, 403])
})

test.each(['10MiB', '', '0', '1.5'])('does not start with the limit %j', async (limit) => {
  const given = { S3_SECRET_ACCESS_KEY: 'secret', DESPATCH_UPLOAD_BYTES_MAX: limit }
  const child = run(await aDirectory(), given)

  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect([said, code]).toEqual([
    'The object store cannot start: DESPATCH_UPLOAD_BYTES_MAX must be a whole number of bytes\n',
    1,
  ])
})

test.each([
  ['is not set', {}],
  [
    'cannot be read from the file that S3_SECRET_ACCESS_KEY_FILE names: ENOENT',
    { S3_SECRET_ACCESS_KEY_FILE: '/there/is/none' },
  ],
])('does not start if its secret key %s', async (reason, secret) => {
  const child = run(await aDirectory(), secret as Record<string, string>)

  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect([said, code]).toEqual([
    `The object store cannot start: S3_SECRET_ACCESS_KEY ${reason}\n`,
    1,
  ])
})
