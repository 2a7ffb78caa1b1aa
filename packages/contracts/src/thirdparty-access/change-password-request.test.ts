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

test.for<[name: string, body: unknown, details: string[]]>([
  ['with the current password', { userName, password, newPassword }, []],
  ['with a code', { userName, newPassword, verifyCode }, []],
  ['that ends the tokens', { userName, password, newPassword, endTokens: true }, []],
  [
    'a text for the end of tokens',
    { userName, password, newPassword, endTokens: 'yes' },
    ['endTokens must be a boolean'],
  ],
  [
    'nothing',
    {},
    [
      'userName must not be null',
      'newPassword must not be null',
      'password must not be null unless verifyCode is given',
    ],
  ],
  ['no object', [], ['body must be an object']],
  ['nothing at all', null, ['body must not be null']],
  [
    'neither password nor code',
    { userName, newPassword },
    ['password must not be null unless verifyCode is given'],
  ],
  [
    'both',
    { userName, newPassword, password, verifyCode },
    ['verifyCode must be null when password is given'],
  ],
  ['no new password', { userName, password }, ['newPassword must not be null']],
  ['no user name', { newPassword, password }, ['userName must not be null']],
  ['null for a password', { userName, newPassword, password: null }, ['password must not be null']],
  [
    'a number for a code',
    { userName, newPassword, verifyCode: 12345 },
    ['verifyCode must be a string'],
  ],
  [
    'five digits',
    { userName, newPassword, verifyCode: '12345' },
    ['verifyCode must match "^\\d{6}$"'],
  ],
  [
    'digits of another script',
    { userName, newPassword, verifyCode: '١٢٣٤٥٦' },
    ['verifyCode must match "^\\d{6}$"'],
  ],
  [
    'a new password that breaks two rules',
    { userName, password, newPassword: 'passw0rd' },
    ['newPassword must have an upper-case letter', 'newPassword must have a special character'],
  ],
  [
    'the current password again',
    { userName, password, newPassword: password },
    ['newPassword must not be the current password'],
  ],
  [
    'a list for a user name',
    { userName: [], password, newPassword },
    ['userName must be a string'],
  ],
])('%s', ([, body, details]) => {
  expect(detailsOf(body)).toEqual(details)
})
