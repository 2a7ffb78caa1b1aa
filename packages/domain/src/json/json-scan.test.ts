import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countMembers } from './duplicate-member.ts'
import { type JsonLimits, startJsonScan } from './json-scan.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function exceededJsonLimit(text: Uint8Array, limits: JsonLimits) {
  const scan = startJsonScan(limits)
  return scan.push(text) ?? scan.end()
}

const limits = { depthMax: 32, valuesMax: 50_000 }

function measure(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 }
  const inner = Object.values(value).map(measure)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: inner.reduce((sum, { values }) => sum + values, 1),
  }
}

test('counts the depth and the values of any JSON exactly', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), fc.boolean(), (json, isSpaced) => {
      const value = JSON.parse(json)
      const { depth, values } = measure(value)
      const text = bytesOf(isSpaced ? JSON.stringify(value, null, ' ') : json)

      expect(exceededJsonLimit(text, { depthMax: depth, valuesMax: values })).toBeUndefined()
      if (depth > 0) {
        expect(exceededJsonLimit(text, { depthMax: depth - 1, valuesMax: values })).toBe('depth')
      }
      expect(exceededJsonLimit(text, { depthMax: depth, valuesMax: values - 1 })).toBe('values')
    }),
  )
})

test('counts the members of any JSON exactly', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
      const scan = startJsonScan({ depthMax: 100, valuesMax: 100_000 })
      scan.push(bytesOf(JSON.stringify(JSON.parse(json), null, ' ')))

      expect(scan.members()).toBe(countMembers(JSON.parse(json)))
    }),
  )
})

test('counts the same in parts of any size', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json({ stringUnit: 'binary' }),
        fc.string({ unit: fc.constantFrom(...'\\"[]{}:,1 a') }),
      ),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 4 }),
      fc.integer({ min: 0, max: 8 }),
      (json, size, depthMax, valuesMax) => {
        const text = bytesOf(json)
        const scan = startJsonScan({ depthMax, valuesMax })
        let exceeded: ReturnType<typeof scan.push>
        for (let at = 0; at < text.length && !exceeded; at += size) {
          exceeded = scan.push(text.subarray(at, at + size))
        }

        expect(exceeded ?? scan.end()).toBe(exceededJsonLimit(text, { depthMax, valuesMax }))
      },
    ),
  )
})

describe('a quote in a string does not end it', () => {
  test.each([
    ['after a backslash', '["\\"[[[", 1]'],
    ['after a backslash that is itself escaped', '["\\\\", "\\\\\\"[[["]'],
    ['far behind', `["${'x'.repeat(1_000)}\\"${'['.repeat(1_000)}"]`],
  ])('%s', (_name, json) => {
    const { depth, values } = measure(JSON.parse(json))

    expect(exceededJsonLimit(bytesOf(json), { depthMax: depth, valuesMax: values })).toBeUndefined()
  })
})

test.each([
  ['arrays in arrays', '['.repeat(12_000_000), 'depth'],
  ['objects in objects', '{"a":'.repeat(3_000_000), 'depth'],
  ['empty arrays', `[${'[],'.repeat(4_000_000)}[]]`, 'values'],
  ['empty objects', `[${'{},'.repeat(4_000_000)}{}]`, 'values'],
  ['numbers', `[${'1,'.repeat(6_000_000)}1]`, 'values'],
  ['strings', `[${'"",'.repeat(4_000_000)}""]`, 'values'],
  ['members', `{${'"a":1,'.repeat(2_000_000)}"a":1}`, 'values'],
])('12 MB of %s exceed a limit', (_name, json, limit) => {
  expect(exceededJsonLimit(bytesOf(json), limits)).toBe(limit)
})

test.each([
  ['a string that does not end', '"'.padEnd(1_000, 'x')],
  ['escapes that do not end', `"\\${'"\\'.repeat(1_000)}`],
  ['blanks', ' '.repeat(1_000)],
  ['nothing', ''],
])('%s exceed no limit', (_name, text) => {
  expect(exceededJsonLimit(bytesOf(text), limits)).toBeUndefined()
})
