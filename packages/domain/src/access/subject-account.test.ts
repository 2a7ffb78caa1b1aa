import { expect, test } from 'vitest'
import { isSubjectAccount } from './subject-account.ts'

test.for<[accountId: string | undefined, expected: boolean]>([
  ['019b2f3a-8c4d-8e5f-9a6b-7c8d9e0f1a2b', true],
  ['019b2f3a-8c4d-4e5f-9a6b-7c8d9e0f1a2b', false],
  ['88888888-8888-4888-8888-888888888888', false],
  ['88888888-8888', false],
  ['', false],
  [undefined, false],
])('%s is the account of a person whom a provider authenticates: %s', ([accountId, expected]) => {
  expect(isSubjectAccount(accountId)).toBe(expected)
})
