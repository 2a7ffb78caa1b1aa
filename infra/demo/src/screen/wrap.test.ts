import { expect, test } from 'vitest'
import { wrap } from './wrap.ts'

test.each([
  { text: 'one two three', width: 7, lines: ['one two', 'three'] },
  { text: 'one two three', width: 6, lines: ['one', 'two', 'three'] },
  { text: 'one two three', width: Infinity, lines: ['one two three'] },
  { text: 'interminable is', width: 5, lines: ['interminable', 'is'] },
  { text: 'is interminable', width: 5, lines: ['is', 'interminable'] },
  { text: '', width: 5, lines: [''] },
])('$text, $width wide, is $lines', ({ text, width, lines }) => {
  expect(wrap(text, width)).toEqual(lines)
})
