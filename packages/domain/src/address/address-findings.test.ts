import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address, StructuredAddress } from './address.ts'
import type { Addressee } from './addressee.ts'
import { printAddressee } from './printable-address.ts'

const recipientName = 'Ms Ann Other'
const street = { buildingNumber: '12', thoroughfareName: 'Mill Lane', postTown: 'Bath' }
const structured = (given: StructuredAddress): Address => ({
  structuredAddress: { ...street, postcode: 'BA1 1AA', ...given },
})
const unstructured = (given: object): Address => ({
  unstructuredAddress: { line1: '12 Mill Lane', line2: 'Bath', postcode: 'BA1 1AA', ...given },
})

/** A finding: its rule and the first word of its detail, which is the member that it names. */
type Found = [rule: string, member: string]

function findings(given: Partial<Addressee>): Found[] {
  const { addressFindings } = printAddressee({ recipientName, address: structured({}), ...given })
  return addressFindings.map(({ rule, detail }) => [rule, detail.split(' ')[0]!])
}
const inAddress = (address: Address) => findings({ address })

test.each<[name: string, address: Address]>([
  [
    'structured',
    structured({ organisationName: 'Mill & Co', dps: '1A', uprn: '100', language: 'en' }),
  ],
  ['structured, with nulls', structured({ departmentName: null, subBuildingName: 'null' })],
  ['unstructured', unstructured({ line5: 'Somerset', postcode: 'ba11aa' })],
  ['of the forces', { bfpoAddress: { line1: 'Ms Ann Other', line2: '1 Rifles', bfpoNumber: 58 } }],
  [
    'abroad',
    { internationalAddress: { line1: '1 rue Haute', line2: 'Paris,', country: 'France' } },
  ],
  ['of Guernsey', unstructured({ line2: 'St Peter Port', postcode: 'GY1 1AA' })],
  ['with a sub-building of one letter', structured({ subBuildingName: 'A' })],
  [
    'with a number in the street',
    structured({ buildingNumber: null, thoroughfareName: '12 Mill Lane' }),
  ],
  ['with its country', structured({ country: 'U.K.' })],
  ['with its country in full', structured({ country: 'United Kingdom' })],
  ['in a village that is called Wales', structured({ dependentLocality: 'Wales' })],
  ['with one number twice', structured({ poBoxNumber: '12' })],
  ['of an organisation called NFA', structured({ organisationName: 'NFA' })],
  ['on the Falkland Islands', unstructured({ postcode: 'FIQQ 1ZZ' })],
  [
    'of the forces, with c/o',
    { bfpoAddress: { line1: '1 Rifles', line2: 'BFPO c/o 58', bfpoNumber: 58 } },
  ],
  [
    'of a city and its region',
    {
      internationalAddress: { line1: '1 rue', line2: 'Québec', line3: 'Québec', country: 'Canada' },
    },
  ],
  [
    'abroad, with its country abbreviated',
    { internationalAddress: { line1: '1 Main Street', line2: 'Springfield', country: 'USA' } },
  ],
  [
    'abroad, with its country in two languages',
    { internationalAddress: { line1: '1 Hauptstr.', line2: 'GERMANY', country: 'Deutschland' } },
  ],
  [
    'abroad, with its country twice',
    { internationalAddress: { line1: '1 rue Haute', line2: 'FRANCE', country: 'France' } },
  ],
  ['with a postcode of Gibraltar', unstructured({ postcode: 'GX11 1AA' })],
  ['of Jersey', { unstructuredAddress: { line1: '1', line2: 'JERSEY', postcode: 'JE2 3AB' } }],
  ['with its county', unstructured({ line3: 'York' })],
  ['with town and county in one line', unstructured({ line2: 'Bath, Avon', line3: 'York' })],
  [
    'with two numbers and a sub-building of one letter',
    structured({ buildingNumber: '12 14', subBuildingName: 'A' }),
  ],
  ['in a place that is not a post town', unstructured({ line2: 'Weston', postcode: 'AB1 1AA' })],
  ['with a short name of the town', structured({ postTown: 'Newcastle', postcode: 'NE1 1AA' })],
  ['with an apostrophe', structured({ postTown: "King's Lynn", postcode: 'PE30 1AA' })],
  ['in a suburb of London', structured({ postTown: 'London', postcode: 'RM3 0AA' })],
  ['with a house name', unstructured({ line1: 'Orchard Close', line2: 'Mill Lane, Bath' })],
  ['in one line', unstructured({ line1: 'Leeds', line2: undefined, line3: '' })],
  ['with a short part twice', unstructured({ line3: '1A', line4: '1A' })],
  ['with the number of the forces as postcode', unstructured({ postcode: 'bfpo 58' })],
  ['of an organisation that is called like a country', structured({ organisationName: 'USA' })],
  [
    'abroad, in a house that is called like a country',
    {
      internationalAddress: {
        line1: 'USA',
        line2: '1 rue Haute',
        line3: 'Lyon',
        country: 'France',
      },
    },
  ],
  [
    'abroad, with its country written out and commas',
    {
      internationalAddress: {
        line1: '1 Road',
        line2: 'United States of America,,',
        country: 'USA',
      },
    },
  ],
])('an ordinary address has no finding: %s', (_name, address) => {
  expect(inAddress(address)).toEqual([])
})

test.each([
  ...['Rose Cottage, Mill Lane', 'Rose Cottage Mill Lane', 'The Old Rectory, Church Lane'],
  ...['Barclays Bank, High Street', 'Barclays High Street', 'St Mary’s Church, Church Street'],
  ...['Flat A, Mill Road', 'Holly Road Surgery, Holly Road', 'c/o The Warden, St Johns Close'],
  ...['Police Station, Chester-le-Street', 'Chester-le-Street', 'Orchard Close', 'Flat A'],
  ...['One Hanover Street', 'Ten Downing Street', 'One Drive', 'NFA House', 'The NFA'],
])('a first line that may name a building has no finding: %s', (line1) => {
  expect(inAddress(unstructured({ line1 }))).toEqual([])
})

test.each(['Holly Cottage', 'c/o Holly', 'Post Office', 'Holly Close', 'Holly Close, Weston'])(
  'a street has no finding if the next line may name a building: %s',
  (line2) => {
    const address = unstructured({ line1: 'Mill Lane', line2, line3: 'Bath' })
    expect(inAddress(address)).toEqual([])
  },
)

test.each([
  ...(['Hythe SO45', 'Whitchurch CF14', 'Whitchurch BS14', 'Hayes BR2', 'Wellington TF1'] as const),
  ...(['Nelson CF46', 'Rainham ME8', 'Eye PE6', 'Stanley WF3', 'Stanley PH1'] as const),
  ...(['Brampton PE28', 'Wheatley DN2', 'Newbridge NP11', 'Durham TS21', 'Durham DL5'] as const),
  ...(['Leeds ME17', 'Manchester SK6', 'Birmingham WS9', 'London TW1', 'Glasgow PA1'] as const),
])('a place that may be in the postcode area has no finding: %s', (place) => {
  const [town = '', district] = place.split(' ')
  const postcode = `${district} 1AA`
  const inLines = unstructured({
    line1: '12 Mill Lane',
    line2: 'Sedgefield',
    line3: town,
    postcode,
  })
  expect([inAddress(inLines), inAddress(structured({ postTown: town, postcode }))]).toEqual([
    [],
    [],
  ])
})

const long = {
  dependentThoroughfareName: 'Mill Court',
  doubleDependentLocality: 'L'.repeat(40),
  dependentLocality: 'Weston',
}
test.each<[name: string, address: Address, expected: Found[]]>([
  [
    'parts beyond five lines',
    structured({ ...long, organisationName: 'A'.repeat(40), departmentName: 'B'.repeat(40) }),
    [['address-left-out', 'departmentName']],
  ],
  [
    'an organisation of 73 characters',
    structured({ organisationName: 'Wool '.repeat(14) }),
    [['address-cut', 'organisationName']],
  ],
  [
    'an organisation of one long word',
    structured({ organisationName: 'W'.repeat(73) }),
    [['address-cut', 'organisationName']],
  ],
  [
    'an organisation of 73 characters in words',
    structured({ organisationName: `Wool ${'Sheep '.repeat(10)}Yarn` }),
    [['address-cut', 'organisationName']],
  ],
  [
    'a foreign country',
    structured({ postTown: 'Paris', country: 'France' }),
    [['address-left-out', 'country']],
  ],
  [
    'the country of the forces',
    { bfpoAddress: { line1: '1 Rifles', bfpoNumber: 58, country: 'Germany' } },
    [['address-left-out', 'country']],
  ],
  [
    'a country that is also a line of the forces',
    { bfpoAddress: { line1: '1 Rifles', line2: 'Germany', bfpoNumber: 58, country: 'Germany' } },
    [['address-left-out', 'country']],
  ],
  [
    'a long line of the forces',
    { bfpoAddress: { line1: 'Rifles '.repeat(8), bfpoNumber: 58 } },
    [['address-cut', 'line1']],
  ],
  [
    'a long country',
    {
      internationalAddress: { line1: '1 rue Haute', country: `The ${'Very '.repeat(10)}Far Land` },
    },
    [['address-cut', 'country']],
  ],
])('a finding names each omitted or cut text: %s', (_name, address, expected) => {
  expect(inAddress(address)).toEqual(expected)
})

test.each<[name: string, recipientName: string, expected: Found[]]>([
  ['90 characters', 'Ann '.repeat(22), []],
  ['91 characters', 'A'.repeat(91), [['address-cut', 'recipientName']]],
  ['blanks', '  ', [['address-blank', 'recipientName']]],
  ['a zero-width space', '\u200b', [['address-blank', 'recipientName']]],
  ['a line feed', 'Ann\nOther', [['address-control', 'recipientName']]],
  ['lost text', 'L\ufffdonie Other', [['address-damaged', 'recipientName']]],
])('a recipient name has the findings of %s', (_name, name, expected) => {
  expect(findings({ recipientName: name })).toEqual(expected)
})

test.each<[name: string, address: Address, expected: Found[]]>([
  ['a blank line', unstructured({ line3: ' ' }), [['address-blank', 'line3']]],
  [
    'blank lines only',
    unstructured({ line1: ' ', line2: ' ' }),
    [
      ['address-blank', 'line1'],
      ['address-blank', 'line2'],
    ],
  ],
  [
    'a blank line and a country',
    { internationalAddress: { line1: ' ', country: 'France' } },
    [['address-blank', 'line1']],
  ],
  ['a tabulator', unstructured({ line3: 'Wes\tton' }), [['address-control', 'line3']]],
  ['lost text', unstructured({ line3: 'Wes\ufffdton' }), [['address-damaged', 'line3']]],
  [
    'a postcode without its shape',
    unstructured({ postcode: '12345' }),
    [['address-postcode', 'postcode']],
  ],
  [
    'a postcode of no area',
    unstructured({ postcode: 'QQ1 1AA' }),
    [['address-postcode', 'postcode']],
  ],
  ['no building', structured({ buildingNumber: null }), [['address-premise', 'The']]],
  [
    'no building, in a road with a number',
    structured({ buildingNumber: null, thoroughfareName: 'Old A4' }),
    [['address-premise', 'The']],
  ],
  [
    'a street without a building',
    unstructured({ line1: 'Mill Lane' }),
    [['address-premise', 'The']],
  ],
  [
    'a street without a building in a village',
    unstructured({ line1: 'Holly Road', line2: 'Weston', line3: 'Bath' }),
    [['address-premise', 'The']],
  ],
  [
    'a post town of another area',
    structured({ postTown: 'Leeds' }),
    [['address-town', 'postTown']],
  ],
  ['a last line of another area', unstructured({ line2: 'LEEDS' }), [['address-town', 'line2']]],
  ['a repeated line', unstructured({ line3: 'BATH' }), [['address-repeated', 'line3']]],
  ['no fixed abode', unstructured({ line1: 'No Fixed Abode' }), [['address-no-abode', 'line1']]],
  ['N.F.A.', unstructured({ line1: 'N.F.A.' }), [['address-no-abode', 'line1']]],
  ['NFA', unstructured({ line1: 'NFA' }), [['address-no-abode', 'line1']]],
  [
    'of no address',
    unstructured({ line1: 'of no fixed address' }),
    [['address-no-abode', 'line1']],
  ],
  [
    'a UK address with its country',
    unstructured({ line3: 'England' }),
    [['address-country', 'line3']],
  ],
  ['a country in letters', unstructured({ line3: 'U. K.' }), [['address-country', 'line3']]],
])('a finding reports a probable mistake: %s', (_name, address, expected) => {
  expect(inAddress(address)).toEqual(expected)
})

const five = { line1: '1', line2: 'b', line3: 'c', line4: 'd', line5: 'L'.repeat(40) }
const forces = (postcode: string): Address => ({
  bfpoAddress: { line1: '1 Rifles', line2: 'B Company', bfpoNumber: 58, postcode },
})
const shapeless = 'postcode does not have the shape of a UK postcode.'

test.each<[name: string, address: Address, details: string[]]>([
  ['without its shape', unstructured({ postcode: '12345' }), [shapeless]],
  [
    'of no area',
    unstructured({ postcode: 'QQ1 1AA' }),
    ['postcode begins with an area that does not exist.'],
  ],
  [
    'that is cut',
    unstructured({ ...five, postcode: 'Postcode o' }),
    ['postcode is printed only in part: it does not fit.', shapeless],
  ],
  ['that is a line', unstructured({ postcode: 'Postcode o' }), [shapeless]],
  [
    'of another place than the forces',
    forces('Postcode o'),
    ['postcode is not printed: the BFPO number routes the letter.', shapeless],
  ],
  [
    'of the forces with more behind it',
    forces('bf1 3AA 99'),
    ['postcode is not printed: it is too long and no UK postcode.', shapeless],
  ],
  ['of the forces', forces('BF1 3AA'), []],
])('findings say how a postcode is printed: %s', (_name, address, details) => {
  const { addressFindings } = printAddressee({ recipientName, address })
  expect(addressFindings.map(({ detail }) => detail)).toEqual(details)
})

test.each<[address: Address, detail: string]>([
  [
    structured({ country: 'France' }),
    'country is not printed: only an internationalAddress has a country.',
  ],
  [
    structured({ ...long, organisationName: 'A'.repeat(40), departmentName: 'B'.repeat(40) }),
    'departmentName is not printed: the address has more parts than fit in five lines.',
  ],
])('a finding says why a part is left out', (address, detail) => {
  const { addressFindings } = printAddressee({ recipientName, address })
  expect(addressFindings).toMatchObject([{ detail }])
})

test('an address finding is a note and quotes no text of the address', () => {
  const { addressFindings } = printAddressee({
    recipientName: 'Zebra\n'.repeat(20),
    address: unstructured({ line1: 'Zebra', line2: 'zebra', line3: 'NFA', postcode: 'ZEBRA' }),
  })

  expect(addressFindings.length).toBeGreaterThan(3)
  for (const { severity, detail } of addressFindings) {
    expect([severity, detail]).toEqual(['note', expect.not.stringMatching(/zebra/i)])
  }
})

test('white space inside a text does not hide that the text is cut', () => {
  const organisationName = `${'A'.repeat(40)}${' '.repeat(650)}Mill Stone`

  expect(inAddress(structured({ organisationName }))).toEqual([['address-cut', 'organisationName']])
})

const words = fc
  .array(fc.constantFrom('Mill', 'Court', 'Weston', 'Flat', '12', 'North', 'W'.repeat(30)), {
    minLength: 1,
    maxLength: 9,
  })
  .map((list) => list.join(' '))
const maybe = fc.option(words, { nil: null })
const fields = {
  organisationName: maybe,
  departmentName: maybe,
  subBuildingName: maybe,
  buildingName: maybe,
  dependentThoroughfareName: maybe,
  thoroughfareName: maybe,
  doubleDependentLocality: maybe,
  dependentLocality: maybe,
  postTown: maybe,
  country: maybe,
  buildingNumber: fc.option(fc.constantFrom('7', '7A'), { nil: null }),
  poBoxNumber: fc.option(fc.constant('99'), { nil: null }),
}

test('every word of a structured address is printed or in a member that a finding names', () => {
  fc.assert(
    fc.property(fc.record(fields), (structuredAddress) => {
      const { printableAddress, addressFindings } = printAddressee({
        recipientName,
        address: { structuredAddress },
      })
      const { recipientLine1: _, recipientLine2: __, ...lines } = printableAddress
      const printed = wordsOf(Object.values(lines).join(' '))
      const named = new Set(addressFindings.map(({ detail }) => detail.split(' ')[0]))
      // a text that no finding names is printed as often as it is given
      for (const [field, text] of Object.entries(structuredAddress)) {
        if (named.has(field)) continue
        for (const word of wordsOf(text ?? '')) {
          expect(printed).toContain(word)
          printed.splice(printed.indexOf(word), 1)
        }
      }
    }),
    { numRuns: 300 },
  )
})

function wordsOf(text: string): string[] {
  return text
    .toUpperCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '')
}

test('checking a huge text takes little time', () => {
  const texts = ['Mill '.repeat(200_000), `Mill${' '.repeat(1_000_000)}${'Stone '.repeat(20)}`]
  for (const organisationName of texts) {
    const found = inAddress(structured({ organisationName }))
    expect(found).toEqual([['address-cut', 'organisationName']])
  }
})
