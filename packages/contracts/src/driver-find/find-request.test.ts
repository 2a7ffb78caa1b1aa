import { describe, expect, test } from 'vitest'
import { findFaults } from './find-faults.ts'
import { criteriaOf, findRequestSchema, requestedFieldsOf, wantsImages } from './find-request.ts'

const wholePostcodes = { includePartialPostcodesInResults: false }
const criteria = { lastName: 'Morgan', dateOfBirth: '1965-07-05', gender: 'Female' }

function detailsOf(body: unknown): string[] {
  const result = findRequestSchema.safeParse(body)
  if (result.success) return []
  return findFaults(result.error.issues, body).map(({ detail }) => detail)
}
const wrong = (field: string, rule: string) => `Invalid format for field - ${field} (${rule})`
const three = wrong(
  'criteria',
  'any 3 of firstNames, lastName, dateOfBirth, postcode, gender; fullName counts as two',
)

test('options have the defaults of the specification', () => {
  expect(findRequestSchema.parse({ criteria })).toEqual({
    criteria,
    options: {
      lastNameMatchType: 'exact',
      firstNamesMatchType: 'phonetic',
      searchNamesOnPreviousLicences: true,
      searchDateOfBirthOnPreviousLicences: true,
      includePartialPostcodesInResults: true,
      orderBy: 'relevance',
    },
  })
})

test('unknown members are ignored, at every level', () => {
  const body = { criteria: { ...criteria, middleName: 1 }, options: { fuzzy: 1 }, page: 1 }
  expect(findRequestSchema.parse(body)).toEqual(findRequestSchema.parse({ criteria }))
})

describe('a search requires at least 3 criteria', () => {
  test.for([
    [{}, [three]],
    [{ lastName: 'a', gender: 'Male' }, [three]],
    [{ fullName: 'a b' }, [three]],
    [{ fullName: 'a b', lastName: 'b' }, [three]],
    [{ fullName: 'a b', gender: 'Male' }, []],
    [{ firstNames: 'a', dateOfBirth: '1965-07-05', postcode: 'SA6' }, []],
  ] as const)('%j', ([given, details]) => {
    expect(detailsOf({ criteria: given })).toEqual(details)
  })
})

describe('each violation names its field and rule, and all violations are reported', () => {
  const date = 'a date that exists, as YYYY-MM-DD'
  const type = 'one of exact, phonetic, token'
  const limit = 'request body: a whole number from 1 to 50'

  test.for<[member: string, given: unknown, rule: string, ...others: string[]]>([
    ['lastName', null, 'a string', three],
    ['firstNames', 1, 'a string'],
    ['lastName', '', 'must not be empty'],
    ['lastName', " -'1", 'a name with a letter in it'],
    ['fullName', 'x'.repeat(101), 'size must be between 1 and 100'],
    ['dateOfBirth', '1965-02-29', date],
    ['dateOfBirth', '05/07/1965', date],
    ['dateOfBirth', '1965-07-05T00:00:00Z', date],
    ['dateOfBirth', '0000-01-01', date],
    ['gender', 'X', 'one of Male, Female'],
    ['postcode', 'SA6 7JLX', 'a UK postcode, an outward code, or an outward code with the sector'],
  ])('criteria.%s of %j', ([member, given, rule, ...others]) => {
    const body = withCriteria({ [member]: given })

    expect(detailsOf(body)).toEqual([wrong(`criteria.${member}`, rule), ...others])
  })

  test.for<[member: string, given: unknown, rule: string]>([
    ['lastNameMatchType', 'fuzzy', type],
    ['orderBy', 'postcode', 'one of relevance, lastName, dateOfBirth'],
    ['includeImagesInResults', 'true', 'a boolean'],
    ['offset', 50, 'request body: a whole number from 0 to 49'],
  ])('options.%s of %j', ([member, given, rule]) => {
    expect(detailsOf({ criteria, options: { [member]: given } })).toEqual([
      wrong(`options.${member}`, rule),
    ])
  })

  test.for<[body: unknown, ...details: string[]]>([
    ...[undefined, null, [], 'criteria'].map((body): [unknown, string] => [
      body,
      'Failed to parse request body',
    ]),
    [{}, 'Missing required field - criteria'],
    [{ criteria: null }, wrong('criteria', 'an object')],
    [{ criteria: [] }, wrong('criteria', 'an object')],
    [{ criteria, options: null }, wrong('options', 'an object')],
    [{ criteria, limit: 51 }, wrong('limit', limit)],
    [{ criteria, limit: '20' }, wrong('limit', limit)],
    [
      { ...withCriteria({ postcode: 'SA6' }), options: wholePostcodes },
      wrong(
        'criteria.postcode',
        'a whole postcode, unless includePartialPostcodesInResults is true',
      ),
    ],
    [
      { criteria: { lastName: '', gender: 1 } },
      wrong('criteria.lastName', 'must not be empty'),
      wrong('criteria.gender', 'a string'),
      three,
    ],
  ])('%j', ([body, ...details]) => {
    expect(detailsOf(body)).toEqual(details)
  })
})

test.for(['Male', 'male', 'MALE', 'Female', 'fEMALE'])('gender in any case: %s', (gender) => {
  const expected = gender.toLowerCase() === 'male' ? 'Male' : 'Female'
  expect(findRequestSchema.parse(withCriteria({ gender })).criteria.gender).toBe(expected)
})

test('100 characters of a name are code points', () => {
  expect(detailsOf(withCriteria({ lastName: `a${'😀'.repeat(99)}` }))).toEqual([])
})

test('either name of the option requests images, and the name in the specification takes precedence', () => {
  const wants = (options: object) => wantsImages(findRequestSchema.parse({ criteria, options }))
  expect([
    wants({}),
    wants({ includeImagesInResults: true }),
    wants({ includeImagesInResponse: true }),
    wants({ includeImagesInResults: false, includeImagesInResponse: true }),
  ]).toEqual([false, true, true, false])
})

test('the criteria contain the full postcode, and its partial postcodes if requested', () => {
  const parse = (options: object) =>
    criteriaOf(findRequestSchema.parse({ ...withCriteria({ postcode: 'sa6 7jl' }), options }))
  expect(parse({})).toEqual({ ...criteria, postcode: { equals: ['SA67JL', 'SA67', 'SA6'] } })
  expect(parse(wholePostcodes)).toEqual({ ...criteria, postcode: { equals: ['SA67JL'] } })
})

test('the audit contains the names of criteria and the non-default options, never values', () => {
  const options = {
    lastNameMatchType: 'token',
    firstNamesMatchType: 'phonetic',
    searchNamesOnPreviousLicences: false,
    includeImagesInResults: true,
    limit: 5,
  }
  expect(requestedFieldsOf(findRequestSchema.parse({ criteria, options }))).toEqual([
    'lastName',
    'dateOfBirth',
    'gender',
    'lastNameMatchType=token',
    'searchNamesOnPreviousLicences=false',
    'includeImagesInResults=true',
  ])
})

function withCriteria(detail: object) {
  return { criteria: { ...criteria, ...detail } }
}
