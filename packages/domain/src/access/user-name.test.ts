import { expect, test } from 'vitest'
import { isEmailAddress, isSameEmailAddress, isUserName } from './user-name.ts'

test.for([
  ['notify', true],
  ['notify+1@example.test', true],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
  ['', false],
  ['two words', false],
  ['nоtify', false],
  ['ｎotify', false],
  ['notify\n', false],
  ['notify\0', false],
] as const)('%j is a user name: %s', ([text, expected]) => {
  expect(isUserName(text)).toBe(expected)
})

test.for([
  ['ops@example.test', true],
  ["o'brien+x@mail.example.test", true],
  ['ops@localhost', true],
  ['ops@x', true],
  ['ops@7', true],
  ['ops@-example.test', false],
  ['ops@.example.test', false],
  ['ops@example.test-', false],
  ['ops@example.test.', false],
  ['ops', false],
  ['@example.test', false],
  ['ops@', false],
  ['ops@example.test, other@example.test', false],
  ['ops@example.test\r\nBcc: other@example.test', false],
  ['ops@example.test\n', false],
  ['<ops@example.test>', false],
  ['"ops"@example.test', false],
  ['ops@exаmple.test', false],
  [`${'x'.repeat(64)}@${'x'.repeat(189)}`, true],
  [`${'x'.repeat(64)}@${'x'.repeat(190)}`, false],
] as const)('%j is an e-mail address: %s', ([text, expected]) => {
  expect(isEmailAddress(text)).toBe(expected)
})

test('e-mail addresses are equal regardless of letter case', () => {
  expect(isSameEmailAddress('Ops@Example.test', 'ops@example.TEST')).toBe(true)
  expect(isSameEmailAddress('ops@example.test', 'op@example.test')).toBe(false)
})
