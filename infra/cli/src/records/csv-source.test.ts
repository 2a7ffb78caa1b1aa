import { expect, test } from 'vitest'
import { csvSource } from './csv-source.ts'

const required =
  'driver.drivingLicenceNumber,driver.lastName,driver.gender,driver.dateOfBirth,licence.type,licence.status,entitlement,endorsements'

async function read(text: string, kind: 'driver' | 'vehicle' = 'vehicle') {
  async function* pieces() {
    yield Buffer.from(text)
  }
  const source = csvSource(pieces(), kind)
  const rows = []
  for await (const some of source.rows) rows.push(...some)
  return { rows, columns: source.columns() }
}

const objectsOf = async (text: string, kind: 'driver' | 'vehicle' = 'vehicle') =>
  (await read(text, kind)).rows.map(({ line }) => JSON.parse(line.toString()))

test('the header names the members of cells; an empty cell is absent, and a value that is not text is JSON', async () => {
  const text = [
    'registrationNumber,make,yearOfManufacture,markedForExport,colour',
    'AA19AAA,"ROVER ""MINI"", red",2019,true,',
    'AA19AAB,,x,,1',
  ].join('\n')

  expect(await objectsOf(text)).toEqual([
    {
      registrationNumber: 'AA19AAA',
      make: 'ROVER "MINI", red',
      yearOfManufacture: 2019,
      markedForExport: true,
    },
    { registrationNumber: 'AA19AAB', yearOfManufacture: 'x', colour: '1' },
  ])
})

test('dotted names are members of members; what a driver must have is there also when it is empty', async () => {
  const text = [
    `${required},driver.address.unstructuredAddress.line1,token.issueNumber`,
    'MORGA657054SM9IJ,Morgan,Male,1965-07-05,Full,Valid,"[{""categoryCode"":""B""}]",[],1 High Street,12',
    'MORGA657054SM9IJ,,,,,,,,,',
  ].join('\n')

  expect(await objectsOf(text, 'driver')).toEqual([
    {
      driver: {
        drivingLicenceNumber: 'MORGA657054SM9IJ',
        lastName: 'Morgan',
        gender: 'Male',
        dateOfBirth: '1965-07-05',
        address: { unstructuredAddress: { line1: '1 High Street' } },
      },
      licence: { type: 'Full', status: 'Valid' },
      entitlement: [{ categoryCode: 'B' }],
      endorsements: [],
      token: { issueNumber: '12' },
    },
    { driver: { drivingLicenceNumber: 'MORGA657054SM9IJ' }, licence: {}, token: {} },
  ])
})

test('a cell that repeats a member stays text', async () => {
  const text = 'registrationNumber,markedForExport\nA1,"{""a"":1,""a"":2}"'

  expect(await objectsOf(text)).toEqual([
    { registrationNumber: 'A1', markedForExport: '{"a":1,"a":2}' },
  ])
})

test('a byte order mark, CRLF, quoted line ends and empty lines', async () => {
  const text = '\ufeffregistrationNumber,make\r\nA1,"TWO\r\nLINES"\r\n\r\nA2,ROVER\r\n'

  expect(await objectsOf(text)).toEqual([
    { registrationNumber: 'A1', make: 'TWO\r\nLINES' },
    { registrationNumber: 'A2', make: 'ROVER' },
  ])
})

test('a row with cells too few or too many is no row', async () => {
  const { rows } = await read('registrationNumber,make\nA1\nA2,ROVER,BLUE\n')

  expect(rows.map(({ line, original, fault }) => [String(line), original, fault])).toEqual([
    ['null', ['A1'], 'row has 1 cells and the header 2'],
    ['null', ['A2', 'ROVER', 'BLUE'], 'row has 3 cells and the header 2'],
  ])
})

test('a file of rejects is read as its source would be', async () => {
  const { rows, columns } = await read(
    'row,reasons,registrationNumber,make\n7,make is bad,A1,ROVER\n',
  )

  expect(columns).toEqual(['registrationNumber', 'make'])
  expect(rows.map(({ line, original }) => [String(line), original])).toEqual([
    ['{"registrationNumber":"A1","make":"ROVER"}', ['A1', 'ROVER']],
  ])
})

test.for<[what: string, text: string, said: RegExp]>([
  [
    'a header that is wrong, at once and whole',
    'registrationNumbr,make,make,colour ',
    /^the header is not valid:\n +unknown column "registrationNumbr"\n +unknown column "colour "\n +duplicate column make\n +missing column registrationNumber$/,
  ],
  ['no header', '', /^the source has no header$/],
  [
    'quotes that do not fit',
    'registrationNumber\nA1\n"A2" secret\n',
    /^the source cannot be read as CSV in line 3: invalid closing quote$/,
  ],
])('refused: %s', async ([, text, said]) => {
  await expect(read(text)).rejects.toThrow(said)
})
