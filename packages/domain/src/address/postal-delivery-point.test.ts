import { describe, expect, test } from 'vitest'
import { postalDeliveryPoint } from './postal-delivery-point.ts'

describe('postcode and delivery point suffix are joined if both are valid', () => {
  test.each([
    ['BX1 1LT', '1A', 'BX11LT1A'],
    ['SN3 4RD', '1A', 'SN34RD1A'],
    ['le2 8hs', '9Z', 'LE28HS9Z'],
    ['W1A 1AA', '9T', 'W1A1AA9T'],
    ['EC1A1BB', '9U', 'EC1A1BB9U'],
    ['GIR 0AA', '1B', 'GIR0AA1B'],
    ['JE2 3AB', '2D', 'JE23AB2D'],
    ['BF1 3AA', '1A', 'BF13AA1A'],
  ])('%s with %s', (postcode, dps, text) => {
    expect(postalDeliveryPoint({ postcode, dps })).toBe(text)
  })
})

describe('a letter has no delivery point', () => {
  test.each([
    ['without a postcode', undefined, '1A'],
    ['without a suffix', 'SA1 1AA', null],
    ['for half a postcode', 'SA1', '1A'],
    ['for an area that does not exist', 'XX1 1AA', '1A'],
    ['for another area that does not exist', 'SA', '1A'],
    ['for letters that no inward code uses', 'SA1 1CA', '1A'],
    ['for a foreign postcode', '75001', '1A'],
    ['for a suffix without its letter', 'SA1 1AA', '11'],
    ['for a suffix from its letter', 'SA1 1AA', 'A1'],
    ['for a suffix of 0', 'SA1 1AA', '0A'],
    ['for a suffix between 1T and 2A', 'SA1 1AA', '1U'],
    ['for a letter that no suffix uses', 'SA1 1AA', '1I'],
    ['for a small letter', 'SA1 1AA', '1a'],
    ['for a suffix of three characters', 'SA1 1AA', '1AA'],
  ])('%s', (_, postcode, dps) => {
    expect(postalDeliveryPoint({ postcode, dps })).toBeUndefined()
  })
})
