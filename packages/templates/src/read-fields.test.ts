import { expect, test } from 'vitest'
import { extremeValue } from './extreme-values.ts'
import { type Fields, readFields } from './read-fields.ts'

const schema = {
  title: 'A reminder',
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 5 },
    tone: { type: 'string', enum: ['mild', 'stern'] },
    count: { type: 'integer', minimum: 1, maximum: 3 },
    amount: { type: 'string', format: 'money' },
    due: { type: 'string', format: 'date' },
    isLast: { type: 'boolean' },
    rows: {
      type: 'array',
      maxItems: 2,
      items: { type: 'object', properties: { what: { type: 'string' } } },
    },
    note: { type: 'string' },
  },
  required: ['name', 'tone', 'count', 'amount', 'due', 'isLast', 'rows'],
}
const values = {
  name: 'Ada',
  tone: 'mild',
  count: 1,
  amount: '12.50',
  due: '2028-02-29',
  isLast: false,
  rows: [{ what: 'x' }],
}

function read(json: unknown): Fields {
  const result = readFields(JSON.stringify(json))
  if ('faults' in result) throw new Error(JSON.stringify(result.faults))
  return result.fields
}

test('values of each kind are accepted at their limits', () => {
  const fields = read(schema)
  expect(fields.title).toBe('A reminder')
  expect(fields.check(values)).toEqual([])
  const atLimits = {
    ...values,
    name: '😀'.repeat(5),
    count: 3,
    amount: '-999999999999.99',
    rows: [{ what: 'W'.repeat(2_000) }, { what: '' }],
    note: 'W'.repeat(2_000),
  }
  expect(fields.check(atLimits)).toEqual([])
})

test.each<[change: object, place: string, message: string]>([
  [{ name: '😀'.repeat(6) }, 'name', 'must NOT have more than 5 characters'],
  [{ name: undefined }, 'name', 'is missing'],
  [{ tone: 'rude' }, 'tone', 'must be one of mild, stern'],
  [{ count: 4 }, 'count', 'must be <= 3'],
  [{ count: 1.5 }, 'count', 'must be integer'],
  [{ count: '1' }, 'count', 'must be integer'],
  [{ amount: '12.5' }, 'amount', 'must be an amount such as 12.50'],
  [{ amount: '1234567890123.00' }, 'amount', 'must be an amount such as 12.50'],
  [{ due: '2027-02-29' }, 'due', 'must be a day such as 2027-01-31'],
  [{ due: '2027-2-1' }, 'due', 'must be a day such as 2027-01-31'],
  [{ isLast: null }, 'isLast', 'must be boolean'],
  [{ rows: [{}, {}, {}] }, 'rows', 'must NOT have more than 2 items'],
  [{ rows: [{}] }, 'rows/0/what', 'is missing'],
  [{ rows: [{ what: 'x', why: 'y' }] }, 'rows/0/why', 'is not a field of the template'],
  [{ note: 'W'.repeat(2_001) }, 'note', 'must NOT have more than 2000 characters'],
  [{ other: 'x' }, 'other', 'is not a field of the template'],
])('%j is refused at %s', (change, place, message) => {
  const changed = JSON.parse(JSON.stringify({ ...values, ...change }))
  expect(read(schema).check(changed)).toContainEqual({ place, message })
})

test('a schema with a hundred faulty rows reports a hundred faults', () => {
  const rows = {
    title: 'T',
    type: 'object',
    properties: { rows: { ...schema.properties.rows, maxItems: 500 } },
  }
  expect(read(rows).check({ rows: Array.from({ length: 500 }, () => ({})) })).toHaveLength(100)
})

test.each<[json: unknown, message: string]>([
  [[], 'must be an object'],
  [{ title: 'T', type: 'array', items: { type: 'string' } }, 'must be of type object'],
  [{ type: 'object', properties: {} }, 'needs a title: that of the letter'],
  [{ title: 'T', type: 'object' }, 'needs properties'],
  [
    { title: 'T', type: 'object', properties: { a: { type: 'string', pattern: '(a+)+' } } },
    '/a has pattern, which is not supported',
  ],
  [
    { title: 'T', type: 'object', properties: { a: { type: 'array', items: { type: 'null' } } } },
    '/a/items must have a type: string, number, integer, boolean, array, object',
  ],
  [
    { title: 'T', type: 'object', properties: { a: { type: 'string', format: 'email' } } },
    '/a has a format other than date and money',
  ],
  [
    { title: 'T', type: 'object', properties: {}, additionalProperties: true },
    'has additionalProperties: unknown fields are refused',
  ],
])('the schema %j is refused', (json, message) => {
  expect(readFields(JSON.stringify(json))).toEqual({ faults: [{ place: 'fields.json', message }] })
})

test('the extremes are accepted, and the shortest leaves out what is optional', () => {
  const fields = read(schema)
  const shortest = extremeValue(fields.group, 'shortest') as object
  expect(shortest).toEqual({ ...shortest, tone: 'mild', rows: [], isLast: false })
  expect(shortest).not.toHaveProperty('note')
  const longest = extremeValue(fields.group, 'longest') as typeof values & { note: string }
  expect({
    name: longest.name.length,
    note: longest.note.length,
    rows: longest.rows.length,
  }).toEqual({ name: 5, note: 2_000, rows: 2 })
  expect(fields.check({ ...longest, count: 3 })).toEqual([])
})

test.each<[what: string, schema: object, shortest: unknown, longest: unknown]>([
  [
    'a list',
    { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 2 },
    [false],
    [true, true],
  ],
  ['a text', { type: 'string', minLength: 3, maxLength: 4 }, 'Lla', 'Llan'],
  ['a number that is never negative', { type: 'number', minimum: 0, maximum: 50 }, 0, 50],
  ['a number above 0', { type: 'integer', minimum: 5 }, 5, 999_999_999],
  ['a number below 0', { type: 'integer', maximum: -5 }, -5, -999_999_999],
  ['a number without limits', { type: 'integer' }, 0, -999_999_999],
])('the extremes of %s keep its limits', (_, field, shortest, longest) => {
  const fields = read({ title: 'A letter', type: 'object', properties: { field } })
  const values = [extremeValue(fields.group, 'shortest'), extremeValue(fields.group, 'longest')]

  expect(values).toEqual([{ field: shortest }, { field: longest }])
  expect(values.map(fields.check)).toEqual([[], []])
})
