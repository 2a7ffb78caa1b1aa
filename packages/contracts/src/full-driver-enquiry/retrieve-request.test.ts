import { expect, test } from 'vitest'
import {
  optionsOf,
  partialAcceptanceOf,
  retrieveFaults,
  retrieveRequestSchema,
} from './retrieve-request.ts'

const number = 'MORGA657054SM9IJ'

function detailsOf(body: unknown): string[] {
  const result = retrieveRequestSchema.safeParse(body)
  if (result.success) return []
  return retrieveFaults(result.error.issues, body).map(({ detail }) => detail)
}

test('includeCPC, includeTacho and acceptPartialResponse are false unless given', () => {
  expect(retrieveRequestSchema.parse({ drivingLicenceNumber: number })).toEqual({
    drivingLicenceNumber: number,
    includeCPC: false,
    includeTacho: false,
    acceptPartialResponse: false,
  })
})

test('unknown members are ignored', () => {
  expect(
    retrieveRequestSchema.parse({ drivingLicenceNumber: number, includeImages: 1, includecpc: 2 }),
  ).toMatchObject({ includeCPC: false })
})

test.for(['morga657054sm9ij', ' MORGA 657054 SM9IJ ', '\tMorga\u00a06570 54\u2009sm9 ij\n'])(
  'ignores white space and case in drivingLicenceNumber: %j',
  (given) => {
    expect(retrieveRequestSchema.parse({ drivingLicenceNumber: given })).toMatchObject({
      drivingLicenceNumber: number,
    })
  },
)

test.for([undefined, null, '', ' \t '])('drivingLicenceNumber is required: %j', (given) => {
  expect(detailsOf({ drivingLicenceNumber: given })).toEqual([
    'Missing required field - drivingLicenceNumber',
  ])
})

test.for<[what: string, given: unknown]>([
  ['a number', 6570540001234567],
  ['15 characters', 'MORGA657054SM9I'],
  ['17 characters', 'MORGA657054SM9IJ1'],
  ['the issue number behind it', 'MORGA657054SM9IJ 12'],
  ['the letter O for a nought', 'MORGA657O54SM9IJ'],
  ['the letter I for a one', 'MORGA6570I4SM9IJ'],
  ['month 13', 'MORGA613054SM9IJ'],
  ['month 63, of a woman', 'MORGA663054SM9IJ'],
  ['day 32', 'MORGA657324SM9IJ'],
  ['Northern Ireland', '12345678'],
  ['full-width characters', 'ＭＯＲＧＡ６５７０５４ＳＭ９ＩＪ'],
  ['a Cyrillic letter', 'MОRGA657054SM9IJ'],
  ['a letter that upper case turns into S', 'MORGA657054ſM9IJ'],
  ['an invisible character', 'MORGA657054SM9\u200bIJ'],
  ['a NUL character', 'MORGA657054SM9I\0'],
  ['hyphens', 'MORGA-657054-SM9IJ'],
])('refuses a drivingLicenceNumber that is %s, and does not repeat it', ([, given]) => {
  expect(detailsOf({ drivingLicenceNumber: given })).toEqual([
    'Invalid format for field - drivingLicenceNumber',
  ])
})

test.for(['true', 1, null])(
  'refuses %j for includeCPC and includeTacho, which are booleans',
  (given) => {
    expect(
      detailsOf({ drivingLicenceNumber: number, includeCPC: given, includeTacho: given }),
    ).toEqual(['Invalid format for field - includeCPC', 'Invalid format for field - includeTacho'])
  },
)

test.for<[given: unknown, means: string]>([
  [undefined, 'false'],
  [false, 'false'],
  [true, 'true'],
  ['true', 'true'],
  ['onConditionCPCAvailable', 'onConditionCPCAvailable'],
  ['onConditionTachoAvailable', 'onConditionTachoAvailable'],
])(
  'acceptPartialResponse may be a boolean or a string: %j means %s',
  ([acceptPartialResponse, means]) => {
    const request = { drivingLicenceNumber: number, acceptPartialResponse }

    expect(partialAcceptanceOf(retrieveRequestSchema.parse(request))).toBe(means)
  },
)

const oneOf =
  'Invalid format for field - acceptPartialResponse (one of true, false, onConditionCPCAvailable, onConditionTachoAvailable)'

test.for([
  ...[null, 1, '', 'TRUE', ' true', 'onConditionCpcAvailable'],
  'onConditionCPCAvailable,onConditionTachoAvailable',
])('refuses %j, which is not one of the values of acceptPartialResponse', (given) => {
  expect(detailsOf({ drivingLicenceNumber: number, acceptPartialResponse: given })).toEqual([oneOf])
})

test('names each wrong field once', () => {
  expect(
    detailsOf({ drivingLicenceNumber: 'X', includeCPC: 'no', acceptPartialResponse: 'maybe' }),
  ).toEqual([
    'Invalid format for field - drivingLicenceNumber',
    'Invalid format for field - includeCPC',
    oneOf,
  ])
})

test.for([[undefined], [null], [[]], ['MORGA657054SM9IJ']])(
  'refuses a body that is not an object: %j',
  ([body]) => {
    expect(detailsOf(body)).toEqual(['Failed to parse request body'])
  },
)

test.for<[request: object, options: string[]]>([
  [{}, []],
  [{ includeCPC: false, acceptPartialResponse: 'false' }, []],
  [
    { includeCPC: true, includeTacho: true, acceptPartialResponse: true },
    ['includeCPC', 'includeTacho', 'acceptPartialResponse=true'],
  ],
  [
    { includeTacho: true, acceptPartialResponse: 'onConditionCPCAvailable' },
    ['includeTacho', 'acceptPartialResponse=onConditionCPCAvailable'],
  ],
])('the options of %j are audited as %j, without the number', ([request, options]) => {
  expect(
    optionsOf(retrieveRequestSchema.parse({ drivingLicenceNumber: number, ...request })),
  ).toEqual(options)
})
