import { describe, expect, test } from 'vitest'
import { findFaults } from './find-faults.ts'
import { criteriaOf, findRequestSchema, requestedFieldsOf, wantsImages } from './find-request.ts'

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
  const date = wrong('criteria.dateOfBirth', 'a date that exists, as YYYY-MM-DD')
  const postcode = wrong(
    'criteria.postcode',
    'a UK postcode, an outward code, or an outward code with the sector',
  )
  const whole = wrong(
    'criteria.postcode',
    'a whole postcode, unless includePartialPostcodesInResults is true',
  )
  const broken: [what: string, body: unknown, details: string[]][] = [
    ['no body', undefined, ['Failed to parse request body']],
    ['null', null, ['Failed to parse request body']],
    ['a list', [], ['Failed to parse request body']],
    ['a text', 'criteria', ['Failed to parse request body']],
    ['no criteria', {}, ['Missing required field - criteria']],
    ['criteria null', { criteria: null }, [wrong('criteria', 'an object')]],
    ['criteria a list', { criteria: [] }, [wrong('criteria', 'an object')]],
    [
      'a name null',
      withCriteria({ lastName: null }),
      [wrong('criteria.lastName', 'a string'), three],
    ],
    [
      'a name a number',
      withCriteria({ firstNames: 1 }),
      [wrong('criteria.firstNames', 'a string')],
    ],
    [
      'a name empty',
      withCriteria({ lastName: '' }),
      [wrong('criteria.lastName', 'must not be empty')],
    ],
    [
      'a name without a letter',
      withCriteria({ lastName: " -'1" }),
      [wrong('criteria.lastName', 'a name with a letter in it')],
    ],
    [
      'a name of 101 characters',
      withCriteria({ fullName: 'x'.repeat(101) }),
      [wrong('criteria.fullName', 'size must be between 1 and 100')],
    ],
    ['a date that does not exist', withCriteria({ dateOfBirth: '1965-02-29' }), [date]],
    ['a date otherwise written', withCriteria({ dateOfBirth: '05/07/1965' }), [date]],
    ['an instant', withCriteria({ dateOfBirth: '1965-07-05T00:00:00Z' }), [date]],
    ['the year 0', withCriteria({ dateOfBirth: '0000-01-01' }), [date]],
    [
      'a gender of others',
      withCriteria({ gender: 'X' }),
      [wrong('criteria.gender', 'one of Male, Female')],
    ],
    ['no postcode', withCriteria({ postcode: 'SA6 7JLX' }), [postcode]],
    [
      'a partial postcode without partial ones',
      {
        ...withCriteria({ postcode: 'SA6' }),
        options: { includePartialPostcodesInResults: false },
      },
      [whole],
    ],
    ['options null', { criteria, options: null }, [wrong('options', 'an object')]],
    [
      'a match type of others',
      { criteria, options: { lastNameMatchType: 'fuzzy' } },
      [wrong('options.lastNameMatchType', 'one of exact, phonetic, token')],
    ],
    [
      'an order of others',
      { criteria, options: { orderBy: 'postcode' } },
      [wrong('options.orderBy', 'one of relevance, lastName, dateOfBirth')],
    ],
    [
      'a boolean as text',
      { criteria, options: { includeImagesInResults: 'true' } },
      [wrong('options.includeImagesInResults', 'a boolean')],
    ],
    [
      'limit 51',
      { criteria, limit: 51 },
      [wrong('limit', 'request body: a whole number from 1 to 50')],
    ],
    [
      'limit as text',
      { criteria, limit: '20' },
      [wrong('limit', 'request body: a whole number from 1 to 50')],
    ],
    [
      'offset 50 among the options',
      { criteria, options: { offset: 50 } },
      [wrong('options.offset', 'request body: a whole number from 0 to 49')],
    ],
    [
      'several',
      { criteria: { lastName: '', gender: 1 } },
      [
        wrong('criteria.lastName', 'must not be empty'),
        wrong('criteria.gender', 'a string'),
        three,
      ],
    ],
  ]

  test.for(broken)('%s', ([, body, details]) => {
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
  const parse = (includePartialPostcodesInResults: boolean) =>
    criteriaOf(
      findRequestSchema.parse({
        ...withCriteria({ postcode: 'sa6 7jl' }),
        options: { includePartialPostcodesInResults },
      }),
    )
  expect(parse(true)).toEqual({ ...criteria, postcode: { equals: ['SA67JL', 'SA67', 'SA6'] } })
  expect(parse(false)).toEqual({ ...criteria, postcode: { equals: ['SA67JL'] } })
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
