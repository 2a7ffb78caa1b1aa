import { expect, test } from 'vitest'
import { fieldFaults } from '../field-faults.ts'
import { changePasswordRequestSchema } from './change-password-request.ts'

const userName = 'notify'
const password = 'Old-passw0rd'
const newPassword = 'New-passw0rd'
const verifyCode = '012345'

function detailsOf(body: unknown): string[] {
  const { error } = changePasswordRequestSchema.safeParse(body)
  return fieldFaults(error?.issues ?? [], body).map(({ detail }) => detail)
}

const changed = { userName, password, newPassword }
const withCode = { userName, newPassword, verifyCode }
const sixDigits = 'verifyCode must match "^\\d{6}$"'
const passwordMissing = 'password must not be null unless verifyCode is given'

test.for<[body: unknown, ...details: string[]]>([
  [changed],
  [withCode],
  [{ ...changed, endTokens: true }],
  [{ ...changed, endTokens: 'yes' }, 'endTokens must be a boolean'],
  [{}, 'userName must not be null', 'newPassword must not be null', passwordMissing],
  [[], 'body must be an object'],
  [null, 'body must not be null'],
  [{ userName, newPassword }, passwordMissing],
  [{ ...changed, verifyCode }, 'verifyCode must be null when password is given'],
  [{ ...changed, password: null }, 'password must not be null'],
  [{ ...withCode, verifyCode: 12345 }, 'verifyCode must be a string'],
  [{ ...withCode, verifyCode: '12345' }, sixDigits],
  [{ ...withCode, verifyCode: '١٢٣٤٥٦' }, sixDigits],
  [
    { ...changed, newPassword: 'passw0rd' },
    'newPassword must have an upper-case letter',
    'newPassword must have a special character',
  ],
  [{ ...changed, newPassword: password }, 'newPassword must not be the current password'],
])('%j: %s', ([body, ...details]) => {
  expect(detailsOf(body)).toEqual(details)
})
