import { searchHashBits, searchPeriodOf } from '@despatch/domain/print-job/key-time'
import { expect, test } from 'vitest'
import { createSearchHasher } from './search-terms.ts'

const key = '01a1efa8-b405-72e1-a504-6bc32ab458a8'
const letter = {
  key,
  correlationId: 'trace-1',
  businessIdentifier: 'case-1',
  addressees: [
    {
      recipientName: 'Ms A Person',
      address: { unstructuredAddress: { line1: '1', postcode: 'AB1 2CD' } },
    },
  ],
}

test('terms are 64-bit integers, equal for equal keys and different for another key', () => {
  const hasher = createSearchHasher('ab'.repeat(32))
  const { lasting, personal } = hasher.termsOf(letter)
  const terms = [lasting, ...personal]

  expect(new Set(terms).size).toBe(5)
  for (const term of terms) expect(BigInt.asIntN(64, BigInt(term)).toString()).toBe(term)
  expect(createSearchHasher('ab'.repeat(32)).termsOf(letter)).toEqual({ lasting, personal })
  const others = createSearchHasher('cd'.repeat(32)).termsOf(letter)
  expect([others.lasting, ...others.personal].some((term) => terms.includes(term))).toBe(false)
})

const hashOf = (term: string) => BigInt.asUintN(searchHashBits, BigInt(term)).toString()

test('the meanings of a search text have the hashes of the terms of its letter', () => {
  const { termsOf, meaningsOf, referenceHashOf } = createSearchHasher('ab'.repeat(32))
  const { lasting, personal } = termsOf(letter)

  expect(meaningsOf('trace-1')[0]).toEqual([hashOf(lasting)])
  const hashes = personal.map(hashOf)
  expect(hashes).toEqual(expect.arrayContaining(meaningsOf('PERSON AB12CD').at(-1)!))
  expect(hashes).toContain(meaningsOf('Case-1')[1]![0])
  expect(hashes).toContain(referenceHashOf('CASE-1'))
})

test('terms sort by the periods of their letters, and a period is shorter than two days', () => {
  const { termsOf } = createSearchHasher('ab'.repeat(32))
  const keys = [
    '00000000-0000-7000-8000-000000000000',
    '01a1efa8-b405-72e1-a504-6bc32ab458a8',
    // two days later
    '01a1f9f5-6c05-72e1-a504-6bc32ab458a8',
    'ffffffff-ffff-7fff-bfff-ffffffffffff',
  ]

  const periods = keys.map(searchPeriodOf)
  const terms = keys.map((key) => BigInt(termsOf({ ...letter, key }).lasting))

  expect(new Set(periods).size).toBe(4)
  expect(periods).toEqual(periods.toSorted((a, b) => a - b))
  expect(terms.map((term) => Number(term >> BigInt(searchHashBits)))).toEqual(periods)
  expect(searchPeriodOf('01a1efa8-b406-72e1-a504-6bc32ab458a8')).toBe(periods[1])
})
