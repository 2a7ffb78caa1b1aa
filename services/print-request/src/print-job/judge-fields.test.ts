import type { FieldFault } from '@despatch/domain/problem'
import { type Fields, readFields } from '@despatch/templates/read-fields'
import { expect, test } from 'vitest'
import { judgeFields } from './judge-fields.ts'

const schema = {
  title: 'A letter',
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 5 },
    amount: { type: 'string', format: 'money' },
    rows: { type: 'array', maxItems: 2, items: { type: 'number' } },
    note: { type: 'string' },
  },
  required: ['name', 'amount', 'rows'],
}
const { fields } = readFields(JSON.stringify(schema)) as { fields: Fields }

const sound = [
  { key: 'name', value: 'Ada' },
  { key: 'amount', value: '12.50' },
  { key: 'rows', value: '[1,2]' },
]

function judge(customParams: typeof sound | undefined, fileParams?: never[] | object[]) {
  const faults: FieldFault[] = []
  const given = { ...(customParams && { customParams }), ...(fileParams && { fileParams }) }
  judgeFields(given as never, { template: 'renewal@3', fields }, faults)
  return faults.map(({ field, code, detail }) => `${field} ${code}: ${detail}`)
}

const withValue = (key: string, value: string) =>
  sound.map((param) => (param.key === key ? { key, value } : param))

test.each([
  ['all fields', sound],
  ['an optional field too', [...sound, { key: 'note', value: 'Text' }]],
  ['fields at their limits', withValue('name', 'Ada B')],
])('%s are accepted', (_, params) => {
  expect(judge(params)).toEqual([])
})

test.each([
  [
    'a missing field',
    sound.slice(1),
    [
      'customParams NotNull: customParams must have the key name: template renewal@3 has this field',
    ],
  ],
  [
    'an unknown one',
    [...sound, { key: 'nam', value: 'Ada' }],
    ['customParams[3].value Invalid: customParams[3].value: nam is not a field of the template'],
  ],
  [
    'a text that is too long',
    withValue('name', 'Ada By'),
    [
      'customParams[0].value Invalid: customParams[0].value: name must NOT have more than 5 characters',
    ],
  ],
  [
    'an amount without pence',
    withValue('amount', '12.5'),
    [
      'customParams[1].value Invalid: customParams[1].value: amount must be an amount such as 12.50',
    ],
  ],
  [
    'a list that is no JSON, once',
    withValue('rows', '[1'),
    ['customParams[2].value Invalid: customParams[2].value: rows must be JSON'],
  ],
  [
    'an entry of the wrong kind',
    withValue('rows', '[1,"b"]'),
    ['customParams[2].value Invalid: customParams[2].value: rows/1 must be number'],
  ],
])('refuses %s', (_, params, faults) => {
  expect(judge(params)).toEqual(faults)
})

test('refuses a letter without parameters for each field that it requires', () => {
  expect(judge(undefined)).toHaveLength(3)
})

test('refuses files', () => {
  expect(judge(sound, [{ fileId: 'a', uploadId: 'b' }])).toEqual([
    'fileParams Null: fileParams must be left out: the letter is made from template renewal@3',
  ])
})
