import { expect, test } from 'vitest'
import { addresseeOf } from './addressee.ts'

const address = { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } }
const other = { unstructuredAddress: { line1: '2 Low Road', postcode: 'ZE1 0AA' } }
const standardParams = { jobType: 'LETTER', recipientName: 'Ms A Person', address }

test.each([
  ['as it was submitted', null, { recipientName: 'Ms A Person', address }],
  [
    'as operations have corrected it',
    { recipientName: 'Ms B Person', address: other },
    { recipientName: 'Ms B Person', address: other },
  ],
])('a letter is addressed %s', (_name, addressOverride, expected) => {
  expect(addresseeOf({ standardParams, addressOverride })).toEqual(expected)
})
