import { expect, test } from 'vitest'
import { chosenCredentials, judgeExpiries } from './credentials.ts'
import type { Finding } from './finding.ts'

const now = new Date('2026-01-31T23:00:00Z')

test.for<[lastDay: string, state: Finding['state'], found: string]>([
  ['2026-01-30', 'bad', 'expired after 2026-01-30'],
  ['2026-01-31', 'warning', 'works until 2026-01-31, 0 days from now'],
  ['2026-02-01', 'warning', 'works until 2026-02-01, 1 day from now'],
  ['2026-03-02', 'warning', 'works until 2026-03-02, 30 days from now'],
  ['2026-03-03', 'good', 'works until 2026-03-03, 31 days from now'],
])('a credential with the last day %s', ([lastDay, state, found]) => {
  const expiries = { passwordExpiry: lastDay, apiKeyExpiry: '2027-01-01' }

  const [password, apiKey] = judgeExpiries('credentials of the operator', expiries, now)

  expect(password).toMatchObject({ subject: 'credentials of the operator: password', state, found })
  expect(password?.mend === undefined).toBe(state === 'good')
  expect(apiKey).toMatchObject({ subject: 'credentials of the operator: API key', state: 'good' })
})

test('credentials of the environment take precedence over the file', () => {
  const operator = { userName: 'chief', password: 'a', apiKey: 'b' }
  const consumer = { userName: 'somebody', password: 'c', apiKey: 'd' }
  const known = { baseUrl: undefined, opsUrl: undefined, operator, consumer }

  expect(chosenCredentials({ ...known, given: undefined })).toEqual([
    ['credentials of the operator', operator],
    ['credentials of the consumer', consumer],
  ])
  expect(chosenCredentials({ ...known, given: { userName: 'x' } })).toEqual([
    ['credentials of the environment', { userName: 'x' }],
  ])
})
