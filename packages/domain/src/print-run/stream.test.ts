import { expect, test } from 'vitest'
import { isSameStream, type PrintStream, streamKey } from './stream.ts'

const stream: PrintStream = {
  despatchMethod: 'SECOND',
  stationery: 'A4-PLAIN',
  plex: 'duplex',
  colour: false,
  format: 'LETTER',
}

test.for<[difference: Partial<PrintStream>, isSame: boolean]>([
  [{}, true],
  [{ despatchMethod: 'FIRST' }, false],
  [{ stationery: 'A4-LOGO' }, false],
  [{ plex: 'simplex' }, false],
  [{ colour: true }, false],
  [{ format: 'LARGE_LETTER' }, false],
])('a stream with %j is the same: %s', ([difference, isSame]) => {
  const other = { ...stream, ...difference }

  expect(isSameStream(stream, other)).toBe(isSame)
  expect(streamKey(stream) === streamKey(other)).toBe(isSame)
})
