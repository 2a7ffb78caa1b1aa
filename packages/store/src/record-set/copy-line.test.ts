import { expect, test } from 'vitest'
import { copyLine } from './copy-line.ts'

test.for<[what: string, values: unknown[], line: string]>([
  ['a number and a text', [1, 'one'], '1\tone\n'],
  ['nothing', [null, undefined, ''], '\\N\t\\N\t\n'],
  ['a text that reads like nothing', ['\\N', '\\.'], '\\\\N\t\\\\.\n'],
  ['what ends lines and cells', ['a\tb\nc\rd'], 'a\\tb\\nc\\rd\n'],
  ['bytes', [Buffer.from([0, 255])], '\\\\x00ff\n'],
  ['lists', [[], ['2020-01-01', '2021-01-01']], '{}\t{2020-01-01,2021-01-01}\n'],
])('%s', ([, values, line]) => {
  expect(copyLine(values)).toBe(line)
})

test('refuses a value that COPY cannot represent', () => {
  expect(() => copyLine([{}])).toThrow('type object')
})
