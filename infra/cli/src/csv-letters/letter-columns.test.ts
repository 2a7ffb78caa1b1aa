import { expect, test } from 'vitest'
import { rowReader } from './letter-columns.ts'

const read = (header: string, ...cells: string[]) => rowReader(header.split(','))(cells)
const name = 'recipientName'

test.each<[what: string, header: string, cells: string[], letter: object]>([
  [
    'lines and a postcode',
    `${name},line1,line2,line5,postcode`,
    ['A Person', '1 High Street', '', 'LEEDS', 'LS1 1AA'],
    {
      recipientName: 'A Person',
      address: {
        unstructuredAddress: { line1: '1 High Street', line5: 'LEEDS', postcode: 'LS1 1AA' },
      },
    },
  ],
  [
    'an address abroad among others',
    `${name},line1,postcode,bfpoNumber,country`,
    ['A', '1 Rue A', '', '', 'France'],
    {
      recipientName: 'A',
      address: { internationalAddress: { line1: '1 Rue A', country: 'France' } },
    },
  ],
  [
    'a BFPO number',
    `${name},line1,bfpoNumber`,
    ['A', '1 Unit', '801'],
    { recipientName: 'A', address: { bfpoAddress: { line1: '1 Unit', bfpoNumber: 801 } } },
  ],
  [
    'the members of a structured address',
    `${name},buildingNumber,postTown,postcode`,
    ['A', '1', 'LEEDS', 'LS1 1AA'],
    {
      recipientName: 'A',
      address: {
        structuredAddress: { buildingNumber: '1', postTown: 'LEEDS', postcode: 'LS1 1AA' },
      },
    },
  ],
  [
    'other members and custom parameters, as they are',
    `${name},line1,businessIdentifier,despatchMethod,handlingInstruction.line2,param.amount,param.a b`,
    ['', '', 'case-1', 'FIRST', 'Fragile', ' 12.50 ', '=1+1'],
    {
      businessIdentifier: 'case-1',
      despatchMethod: 'FIRST',
      handlingInstruction: { line2: 'Fragile' },
      customParams: [
        { key: 'amount', value: ' 12.50 ' },
        { key: 'a b', value: '=1+1' },
      ],
    },
  ],
  ['blanks, which are no value', `${name},line1`, [' ', '\t'], {}],
])('a row has %s', (_, header, cells, letter) => {
  expect(read(header, ...cells)).toEqual({ letter })
})

test.each<[header: string, cells: string[], fault: string]>([
  [`${name},line1`, ['A'], 'the row has 1 cells and the header 2'],
  [`${name},line1`, ['A', '1', ''], 'the row has 3 cells and the header 2'],
  [`${name},line1,postcode`, ['A', '1', ''], 'give one of postcode, bfpoNumber and country'],
  [
    `${name},line1,postcode,country`,
    ['A', '1', 'LS1 1AA', 'France'],
    'country is only for an address abroad, without postcode and bfpoNumber',
  ],
  [`${name},line1,bfpoNumber`, ['A', '1', 'x'], 'bfpoNumber must be a number such as 801'],
])('%s with %j is no letter', (header, cells, fault) => {
  expect(read(header, ...cells)).toEqual({ fault })
})

test.each<[header: string, faults: string[]]>([
  ['line1', ['missing column "recipientName"']],
  [name, ['missing column "line1", or the columns of another address']],
  [`${name},line1,line1`, ['duplicate column "line1"']],
  [`${name},line1,postode`, ['unknown column "postode": did you mean postcode?']],
  [`${name},line1,id`, ['unknown column "id": for a custom parameter, name it param.id']],
  [
    `${name},line1,amount,param.`,
    [
      'unknown column "amount": for a custom parameter, name it param.amount',
      'column 4 has no name',
    ],
  ],
  [`${name},line1,`, ['column 3 has no name']],
  [`${name},line1,postTown`, ['"line1" and "postTown" are columns of two kinds of address']],
  [
    'recipientName;line1',
    [
      'cells must be separated by commas',
      'missing column "recipientName"',
      'missing column "line1", or the columns of another address',
    ],
  ],
])('the header %s is refused whole', (header, faults) => {
  expect(() => rowReader(header.split(','))).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: `the header is not valid:\n          ${faults.join('\n          ')}`,
    }),
  )
})
