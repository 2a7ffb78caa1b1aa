import { expect, test } from 'vitest'
import { addressOf, type GivenAddress } from './address-of.ts'

const lines = { line1: '1 High Street', line5: 'LEEDS' }

test.each<[string, GivenAddress, unknown]>([
  [
    'a postcode: in the United Kingdom',
    { ...lines, postcode: 'LS1 1AA' },
    { unstructuredAddress: { line1: '1 High Street', line5: 'LEEDS', postcode: 'LS1 1AA' } },
  ],
  [
    'a country: abroad',
    { line1: '1 Rue A', line2: 'Paris', country: 'France' },
    { internationalAddress: { line1: '1 Rue A', line2: 'Paris', country: 'France' } },
  ],
  [
    'a BFPO number: of the forces',
    { line1: '1234 Pte A', line2: '1 Unit', bfpo: '801' },
    { bfpoAddress: { line1: '1234 Pte A', line2: '1 Unit', bfpoNumber: 801 } },
  ],
  [
    'a BFPO number and its postcode',
    { line1: '1234 Pte A', bfpo: '801', postcode: 'BF1 0AX' },
    { bfpoAddress: { line1: '1234 Pte A', bfpoNumber: 801, postcode: 'BF1 0AX' } },
  ],
])('an address is meant by %s', (_name, given, expected) => {
  expect(addressOf(given)).toEqual(expected)
})

test.each<[string, Partial<GivenAddress>]>([
  ['give one of --postcode, --bfpo and --country', {}],
  ['--country is only for an address abroad', { country: 'France', postcode: 'LS1 1AA' }],
  ['--country is only for an address abroad', { country: 'France', bfpo: '1' }],
  ['--bfpo must be a number', { line5: undefined as never, bfpo: 'x' }],
  ['at most four lines', { bfpo: '801' }],
])('what does not go together is wrong usage: %s', (message, detail) => {
  expect(() => addressOf({ ...lines, ...detail })).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }),
  )
})
