import { describe, expect, test } from 'vitest'
import { parseTraceparent, renderTraceparent } from './traceparent.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

describe('accepts a traceparent', () => {
  test.each([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    [`cc-${traceId}-${spanId}-01-what-a-later-version-says`, true],
  ])('%s', (header, isSampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId, spanId, isSampled })
  })
})

describe('refuses a traceparent', () => {
  test.each([
    ['absent', undefined],
    ['empty', ''],
    ['given twice', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
    ['given twice, as a list', [`00-${traceId}-${spanId}-01`]],
    ['of version ff', `ff-${traceId}-${spanId}-01`],
    ['longer than its version allows', `00-${traceId}-${spanId}-01-more`],
    ['in capitals', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['of a trace without an id', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['of a span without an id', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['too short', `00-${traceId.slice(1)}-${spanId}-01`],
    ['with a line break', `00-${traceId}-${spanId}-01\n`],
    ['not a trace', 'Ms Ada Example'],
  ])('%s', (_kind, header) => {
    expect(parseTraceparent(header)).toBeUndefined()
  })
})

test('writes a traceparent in the first version, with only the sampling flag', () => {
  const read = parseTraceparent(`cc-${traceId}-${spanId}-ff-more`)!

  expect(renderTraceparent(read)).toBe(`00-${traceId}-${spanId}-01`)
})
