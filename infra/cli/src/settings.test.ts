import { expect, test } from 'vitest'
import { keptCredential } from './settings.ts'

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
