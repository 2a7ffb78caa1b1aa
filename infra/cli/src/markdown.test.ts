import { expect, test } from 'vitest'
import { markdownList, markdownTable, wrap } from './markdown.ts'

const word = 'x'.repeat(50)

test('a table is padded to its widest cells', () => {
  expect(markdownTable(['name', 'is'], [['a|b', 'short']])).toBe(
    '| name | is    |\n| ---- | ----- |\n| a\\|b | short |',
  )
})

test('a table whose rows are too long is refused', () => {
  expect(() => markdownTable(['name'], [['x'.repeat(117)]])).toThrow('too wide for a table')
})

test('a list is wrapped below its text', () => {
  const items = [`${word} ${word} ${word}`, { text: 'second', below: [`${word} ${word} ${word}`] }]

  expect(markdownList(items)).toBe(
    `- ${word} ${word}\n  ${word}\n- second\n  - ${word} ${word}\n    ${word}`,
  )
})

test('a line ends between words, but not within code or a link', () => {
  expect(wrap(`${word} ${word} \`a b c d e f g h i j\``)).toBe(
    `${word} ${word}\n\`a b c d e f g h i j\``,
  )
  expect(wrap(`${word} ${word} [a b c d](e/f.md#g-h-i)`)).toBe(
    `${word} ${word}\n[a b c d](e/f.md#g-h-i)`,
  )
})

test('no line begins as a list or a heading would', () => {
  expect(wrap(`${word} ${'y'.repeat(68)} - ${word}`)).toBe(`${word}\n${'y'.repeat(68)} -\n${word}`)
})
