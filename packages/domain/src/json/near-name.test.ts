import { expect, test } from 'vitest'
import { nearName } from './near-name.ts'

const known = [
  'jobType',
  'recipientName',
  'despatchMethod',
  'postTown',
  'postcode',
  'line1',
  'line2',
  'country',
  'customParams',
  'fileParams',
]

test.each([
  ['despatchmethod', 'despatchMethod'],
  ['dispatchMethod', 'despatchMethod'],
  ['despatch_method', 'despatchMethod'],
  ['job-type', 'jobType'],
  ['jbo_type', 'jobType'],
  ['postal_code', 'postcode'],
  ['postcodn', 'postcode'],
  ['recipient', 'recipientName'],
  ['town', 'postTown'],
  ['addressLine1', 'line1'],
  ['lien2', 'line2'],
  ['parms', undefined],
  ['params', undefined],
  ['customParam', 'customParams'],
  ['contry', 'country'],
  ['county', undefined],
  ['contrz', 'country'],
  ['cxontrz', undefined],
  ['cuonxrz', undefined],
  ['line6', undefined],
  ['line', undefined],
  ['name2', undefined],
  ['colour', undefined],
  ['xyz', undefined],
  ['', undefined],
])('for %j, suggests %s', (name, meant) => {
  expect(nearName(name, known)).toBe(meant)
})
