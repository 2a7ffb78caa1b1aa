import { expect, test } from 'vitest'
import { restrictionCodes, restrictionLiteral } from './restriction-codes.ts'

const literals: [code: string, literal: string | undefined][] = [
  ['01', 'eyesight correction'],
  ['78', 'restricted to vehicles with automatic transmission'],
  ['79', 'restricted to vehicles in conformity with the specifications stated in brackets'],
  ['79(3)', 'restricted to tricycles'],
  ['79(03)', 'restricted to tricycles'],
  ['79(2)', 'restricted to category AM vehicles of the 3-wheel or light quadricycle type'],
  ['79(02)', 'restricted to category AM vehicles of the 3-wheel or light quadricycle type'],
  ['44(8)', 'seat height, both feet on the ground'],
  ['44(08)', 'seat height, both feet on the ground'],
  ['44(11)', 'adapted foot rest'],
  ['44(12)', 'adapted hand grip'],
  ['44(1)', 'single operated brake'],
  ['101', 'not for hire or reward'],
  ['115', 'organ donor'],
  ['79(003)', undefined],
  ['79(4)', undefined],
  ['79()', undefined],
  ['1', undefined],
  ['001', undefined],
  ['', undefined],
  ['constructor', undefined],
]

test.for(literals)('restriction %j reads %j', ([code, literal]) => {
  expect(restrictionLiteral(code)).toBe(literal)
})

test('every code in the list has a text', () => {
  expect(restrictionCodes.length).toBe(53)
  expect(restrictionCodes.filter((code) => !restrictionLiteral(code))).toEqual([])
})
