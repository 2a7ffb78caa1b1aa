import { expect, test } from 'vitest'
import { printable, renderTable } from './table.ts'

test.for([
  ['an escape sequence', '\u001b[31mred', '�[31mred'],
  ['a line break', 'one\ntwo', 'one�two'],
  ['a tab, which would begin a column', 'one\ttwo', 'one�two'],
  ['a change of direction', 'a\u202eb', 'a�b'],
  ['letters and signs', 'Ünï & Söhne 😀', 'Ünï & Söhne 😀'],
] as const)('%s is printed so that it changes nothing else', ([, text, expected]) => {
  expect(printable(text)).toBe(expected)
})

test('says that nothing was found instead of a header alone', () => {
  expect(renderTable(['key', 'state'], [])).toBe('Nothing found.')
  expect(renderTable(['site'], [], 'No sites.')).toBe('No sites.')
})
