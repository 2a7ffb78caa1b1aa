import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { givenCredential, keptCredential, parseAddress } from './settings.ts'

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

test.each([
  ['http://despatch.example', {}, false],
  ['http://10.0.0.1', {}, false],
  ['http://despatch.example', { insecureHttp: true }, true],
  ['https://despatch.example', {}, true],
  ['http://localhost:8080', {}, true],
  ['http://127.0.0.1:8080', {}, true],
  ['http://[::1]:8080', {}, true],
])('credentials may be sent to %s with %j: %s', (address, options, isAccepted) => {
  const parse = () => parseAddress(address, '--base-url', options)

  if (isAccepted) expect(parse()).toBe(address)
  else expect(parse).toThrow('--base-url must be an https address')
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
