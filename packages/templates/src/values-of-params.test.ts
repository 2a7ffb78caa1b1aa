import { expect, test } from 'vitest'
import type { FieldKind } from './field-kind.ts'
import { valuesOfParams } from './values-of-params.ts'

const text: FieldKind = { kind: 'text', lengthMin: 0, lengthMax: 10 }
const kinds: Record<string, FieldKind> = {
  text,
  number: { kind: 'number', least: -9, most: 9 },
  money: { kind: 'money' },
  choice: { kind: 'yes-or-no' },
  list: { kind: 'list', lengthMin: 0, lengthMax: 2, items: text },
}

test.each<[key: string, value: string, read: unknown]>([
  ['text', '12', '12'],
  ['number', '-12.5', -12.5],
  ['number', '999999999999999', 999_999_999_999_999],
  ['money', '12.50', '12.50'],
  ['choice', 'yes', true],
  ['choice', 'true', true],
  ['choice', 'no', false],
  ['choice', 'false', false],
  ['list', '["a","b"]', ['a', 'b']],
  ['unknown', 'kept for the check', 'kept for the check'],
  ['constructor', 'as well', 'as well'],
])('%s %j is read', (key, value, read) => {
  const group = { kind: 'group', members: kinds, optional: [] } as const
  const { values, faults } = valuesOfParams([{ key, value }], group)
  expect(faults).toEqual([])
  expect(Object.entries(values)).toEqual([[key, read]])
})

test.each<[key: string, value: string, message: string]>([
  ['number', '1e9', 'must be a number'],
  ['number', ' 1', 'must be a number'],
  ['number', '1234567890123456', 'must be a number'],
  ['choice', 'Yes', 'must be yes or no'],
  ['list', '[1', 'must be JSON'],
  ['list', '[{"a":1,"a":2}]', 'must be JSON'],
  ['list', '['.repeat(11) + ']'.repeat(11), 'must be JSON'],
])('%s %j is refused', (key, value, message) => {
  const group = { kind: 'group', members: kinds, optional: [] } as const
  expect(valuesOfParams([{ key, value }], group).faults).toEqual([{ place: key, message }])
})
