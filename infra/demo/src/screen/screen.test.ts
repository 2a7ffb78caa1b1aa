import { expect, test } from 'vitest'
import { createScreen, wrap } from './screen.ts'

test('without a terminal it writes plain lines, and the part below only at its end', () => {
  const { screen, written } = makeScreen({ isLive: false })
  screen.say('consumer', 'posted a letter', ['it was heavy'])
  screen.showBelow(() => ['the table'])
  screen.redraw()
  screen.say('provider', 'printed it')
  screen.settle()
  screen.redraw()
  screen.print('the end')
  expect(written()).toBe(
    [
      '  4.2 s  consumer  posted a letter',
      '                   it was heavy',
      '  4.2 s  provider  printed it',
      'the table',
      'the end',
      '',
    ].join('\n'),
  )
})

test('on a terminal the part below is erased and drawn again under every new line', () => {
  const { screen, written } = makeScreen({ isLive: true })
  let state = 'first'
  screen.showBelow(() => ['table', state])
  state = 'second'
  screen.redraw()
  screen.print('line')
  screen.settle()
  const erase = '\x1b[2A\r\x1b[0J'
  expect(written()).toBe(
    `\x1b[?25ltable\nfirst\n${erase}table\nsecond\n${erase}line\ntable\nsecond\n${erase}table\nsecond\n\x1b[?25h`,
  )
})

test('a long line is wrapped below its own beginning on a terminal', () => {
  const { screen, written } = makeScreen({ isLive: true, columns: 40 })
  screen.say('operator', 'found everything in order')
  expect(written()).toBe('  4.2 s  operator  found everything in\n                   order\n')
})

test('a long item is wrapped beside its mark on a terminal, and is one line elsewhere', () => {
  const item = (isLive: boolean) => {
    const { screen, written } = makeScreen({ isLive, columns: 28 })
    screen.item('✓', 'letters despatched to everybody')
    return written()
  }
  expect(item(true)).toBe(' ✓ letters despatched to\n   everybody\n')
  expect(item(false)).toBe(' ✓ letters despatched to everybody\n')
})

test('of a part that is higher than the terminal only the end is drawn, since no more can be erased', () => {
  const { screen, written } = makeScreen({ isLive: true, rows: 4 })
  screen.showBelow(() => ['1', '2', '3'])
  expect(written()).toBe('\x1b[?25l2\n3\n')
})

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

function makeScreen({
  isLive,
  columns = 80,
  rows = 24,
}: {
  isLive: boolean
  columns?: number
  rows?: number
}) {
  const texts: string[] = []
  const terminal = { write: (text: string) => texts.push(text), columns, rows }
  const screen = createScreen(terminal, { isLive, hasColour: false, elapsedMs: () => 4_200 })
  return { screen, written: () => texts.join('') }
}
