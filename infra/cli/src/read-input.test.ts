import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readInput } from './read-input.ts'

test.for([
  [['AA19', 'AAA\n'], 'AA19AAA\n'],
  [[], ''],
  [[Buffer.from([0xc3]), Buffer.from([0xa9])], 'é'],
  [['0123456789', 'x'], '0123456789'],
  [['01234', '56789abc', 'x'], '0123456789'],
] as const)('of %j it reads %j', async ([chunks, text]) => {
  expect(await readInput(Readable.from(chunks, { objectMode: false }), 10)).toBe(text)
})
