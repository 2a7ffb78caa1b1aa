import { recordColumns } from '@despatch/contracts/records/record-columns'
import { expect, test } from 'vitest'
import { rowMaker } from './csv-source.ts'
import { cellsOf } from './generate-records.ts'

test('written cells are read back unchanged', () => {
  const record = {
    driver: {
      drivingLicenceNumber: 'MORGA657054SM9IJ',
      lastName: 'Morgan',
      gender: 'Male',
      dateOfBirth: '1965-07-05',
      address: { unstructuredAddress: { line1: '1 "High", Street', postcode: 'SA1 1AA' } },
      disqualifiedForLife: true,
    },
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [{ categoryCode: 'B', categoryType: 'Full' }],
    endorsements: [],
    token: {},
    tachoUnderPreviousDln: false,
  }
  const columns = recordColumns('driver')

  const { line } = rowMaker(
    columns.map(({ path }) => path),
    'driver',
  )(cellsOf(record, columns))

  expect(JSON.parse(line.toString())).toEqual(record)
})
