import { expect, test } from 'vitest'
import { readArguments } from './arguments.ts'

test.each([
  { given: [], read: { kind: 'run', exit: false } },
  { given: ['--exit'], read: { kind: 'run', exit: true } },
  { given: ['--help'], read: { kind: 'help' } },
  { given: ['--exit', '-h'], read: { kind: 'help' } },
])('reads $given', ({ given, read }) => {
  expect(readArguments(given)).toEqual(read)
})

test.each([['--exi'], ['exit']])('refuses %s and names it', (argument) => {
  expect(readArguments([argument])).toEqual({
    kind: 'wrong',
    reason: expect.stringContaining(argument),
  })
})
