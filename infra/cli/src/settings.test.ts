import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { givenCredential, keptCredential } from './settings.ts'

const operator = { userName: 'chief', password: 'secret', apiKey: 'key' }
const kept = { baseUrl: 'https://api.example', opsUrl: 'https://ops.example', operator }

test.for<[what: string, options: { baseUrl?: string; opsUrl?: string }, isSent: boolean]>([
  ['the kept addresses', {}, true],
  ['a kept address that is given once more', { baseUrl: 'https://api.example' }, true],
  ['this machine by its number', { opsUrl: 'http://127.0.0.1:9000' }, true],
  ['this machine by its name', { baseUrl: 'http://localhost:9000' }, true],
  ['this machine by its newer number', { baseUrl: 'http://[::1]:9000' }, true],
  ['another base address', { baseUrl: 'https://elsewhere.example' }, false],
  ['another operations address', { opsUrl: 'https://elsewhere.example' }, false],
  ['a name that begins like this machine', { opsUrl: 'http://127.0.0.1.example' }, false],
  ['a user name like this machine', { opsUrl: 'http://localhost@elsewhere.example' }, false],
  ['no address at all', { opsUrl: 'localhost' }, false],
])('the kept credential and %s', ([, options, isSent]) => {
  expect(keptCredential(kept, options)).toEqual(isSent ? operator : undefined)
})

test('password and API key may each be in a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-cli-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'api-key')
  await writeFile(path, 'key\n')
  const others = { DESPATCH_USER_NAME: 'chief', DESPATCH_PASSWORD: 'secret' }

  expect(givenCredential({ ...others, DESPATCH_API_KEY_FILE: path })).toEqual(operator)
  expect(() => givenCredential({ DESPATCH_PASSWORD_FILE: '/there/is/none' })).toThrow(
    'DESPATCH_PASSWORD cannot be read from the file that DESPATCH_PASSWORD_FILE names: ENOENT',
  )
})
