import { normalisePostcode } from '@despatch/domain/address/postcode'
import { expect, test } from 'vitest'
import { outwardCodes } from './post-towns.ts'

test('there are more than 900 outward codes, each once and of the right shape', () => {
  const codes = outwardCodes.map(({ outward }) => outward)

  expect(codes.length).toBeGreaterThan(900)
  expect(new Set(codes).size).toBe(codes.length)
  expect(codes.filter((code) => normalisePostcode(`${code}1AA`) !== `${code} 1AA`)).toEqual([])
})

test('post towns are names that fit in an address line', () => {
  const odd = outwardCodes.filter(({ postTown }) => !/^[A-Z][A-Za-z -]{2,44}$/.test(postTown))

  expect(odd).toEqual([])
})

test('a range of codes is spread out', () => {
  const ofTruro = outwardCodes.filter(({ postTown }) => postTown === 'Truro')

  expect(ofTruro.map(({ outward }) => outward)).toEqual(['TR1', 'TR2', 'TR3', 'TR4'])
})
