import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { readShellVariables, writeShellVariables } from './shell-variables.ts'

test.each([
  'plain',
  '',
  "'; echo executed >&2; exit 7; '",
  "a'b''c'",
  '$(exit 7) `exit 7` "$HOME" \\',
  "two\nlines\nexport OTHER='x'",
  'é😀 ',
])('a shell and our reader both read %j unchanged', (value) => {
  const text = writeShellVariables({ FIRST: value, SECOND: 'second' })

  const program = `${text}printf '%s|%s' "$FIRST" "$SECOND"`
  expect(execFileSync('sh', ['-c', program], { encoding: 'utf8' })).toBe(`${value}|second`)
  expect(readShellVariables(text)).toEqual({ FIRST: value, SECOND: 'second' })
})

test('refuses a value that no variable can hold, without repeating the value', () => {
  expect(() => writeShellVariables({ NAME: 'SECRET\0' })).toThrow(
    'NAME contains the character U+0000',
  )
})
