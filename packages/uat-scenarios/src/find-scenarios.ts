import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import type { RequestProblemKind } from '@despatch/domain/problem'
import { manifolds, namesakes, particulars, uatFindDrivers } from './find-drivers.ts'

export { uatFindDrivers }

type FindMatchType = 'exact' | 'phonetic' | 'token'

type FindCriteria = {
  firstNames?: string
  lastName?: string
  fullName?: string
  dateOfBirth?: string
  postcode?: string
  gender?: 'Male' | 'Female'
}

type FindOptions = {
  lastNameMatchType?: FindMatchType
  firstNamesMatchType?: FindMatchType
  searchNamesOnPreviousLicences?: boolean
  searchDateOfBirthOnPreviousLicences?: boolean
  includeImagesInResults?: boolean
  includePartialPostcodesInResults?: boolean
  orderBy?: 'relevance' | 'lastName' | 'dateOfBirth'
}

/** A documented search over `uatFindDrivers`. */
export type FindScenario = {
  title: string
  criteria: FindCriteria
  options?: FindOptions
  limit?: number
  offset?: number
  /** Driving licence numbers in the order of the results. */
  finds: readonly string[]
  /** The header x-total-count. */
  totalCount: number
}

/** A search for this last name is refused, whatever the other criteria. */
export type FindRefusal = {
  lastName: string
  title: string
  status: number
  outcome: { kind: 'problem'; problem: RequestProblemKind; detail: string } | { kind: 'fault' }
}

const refusals = [
  ['UATBADREQUEST', 400, 'Bad request', 'invalid-field', 'Invalid format for field - criteria'],
  ['UATTOOMANY', 429, 'Request rate limit exceeded', 'too-many-requests', 'Too Many Requests'],
  ['UATERROR', 500, 'Internal error'],
  [
    'UATUNAVAILABLE',
    503,
    'Service unavailable (maintenance)',
    'unavailable',
    'The service is currently down for maintenance',
  ],
] as const

export const findRefusals: readonly FindRefusal[] = refusals.map(
  ([lastName, status, title, problem, detail]) => ({
    lastName,
    status,
    title,
    outcome: problem ? { kind: 'problem', problem, detail } : { kind: 'fault' },
  }),
)

/** Returns the predefined refusal for a last name, ignoring case. */
export function findRefusal(lastName: string): FindRefusal | undefined {
  return findRefusals.find((refusal) => refusal.lastName === lastName.trim().toUpperCase())
}

const { smith, smyth, smythe, smithson, smithJones, jonesSmith } = namesakes
const { oBrien, obrien, macDonald, mcDonald, stJohn, saintJohn } = namesakes
const { joseWithAccent, jose, thompson, thomson, catherine, kathryn } = namesakes

const smiths = { lastName: 'Smith', dateOfBirth: '1980-02-10', gender: 'Male' } as const
const holloway = { dateOfBirth: '1986-09-18', gender: 'Female' } as const
const winterbourne = { lastName: 'Winterbourne', gender: 'Male' } as const
const partridges = { lastName: 'Partridge', postcode: 'SA6 7JL', gender: 'Female' } as const
const portraits = { lastName: 'Portrait', dateOfBirth: '1995-10-31', gender: 'Female' } as const

/** Grouped by how the last name matches, then the first names. */
const byMatchType = [
  search('Last name, exact', { criteria: smiths, finds: [smith] }),
  search('Last name, phonetic: other spellings, and a name that is nearly alike', {
    criteria: smiths,
    options: { lastNameMatchType: 'phonetic' },
    finds: [smith, smyth, smythe, smithson],
  }),
  search('Last name, token: double names with the name in them, but not Smithson', {
    criteria: smiths,
    options: { lastNameMatchType: 'token', orderBy: 'lastName' },
    finds: [jonesSmith, smith, smithJones],
  }),
  search('Last name, exact: an apostrophe makes no difference', {
    criteria: { lastName: "O'Brien", dateOfBirth: '1975-03-20', gender: 'Male' },
    finds: [obrien, oBrien],
  }),
  search('Last name, phonetic: Mac and Mc', {
    criteria: { lastName: 'McDonald', dateOfBirth: '1972-11-05', gender: 'Female' },
    options: { lastNameMatchType: 'phonetic', orderBy: 'lastName' },
    finds: [macDonald, mcDonald],
  }),
  search('Last name, phonetic: Saint and St', {
    criteria: { lastName: 'St John', dateOfBirth: '1969-08-30', gender: 'Male' },
    options: { lastNameMatchType: 'phonetic', orderBy: 'lastName' },
    finds: [saintJohn, stJohn],
  }),
  search('Last name, phonetic: Thompson and Thomson', {
    criteria: { lastName: 'Thomson', dateOfBirth: '1988-07-07', gender: 'Female' },
    options: { lastNameMatchType: 'phonetic', orderBy: 'lastName' },
    finds: [thompson, thomson],
  }),
  search('Names, exact: accents make no difference', {
    criteria: { firstNames: 'Jose', lastName: 'Garcia', dateOfBirth: '1990-12-01' },
    options: { firstNamesMatchType: 'exact' },
    finds: [jose, joseWithAccent],
  }),
  search('First names, phonetic (the default)', {
    criteria: { firstNames: 'Catherine', lastName: 'Unwin', dateOfBirth: '1993-04-14' },
    finds: [catherine, kathryn],
  }),
  search('First names, exact', {
    criteria: { firstNames: 'Catherine', lastName: 'Unwin', dateOfBirth: '1993-04-14' },
    options: { firstNamesMatchType: 'exact' },
    finds: [catherine],
  }),
  search('First names, token: one of two', {
    criteria: { firstNames: 'May', lastName: 'Holloway', ...holloway },
    options: { firstNamesMatchType: 'token' },
    finds: [particulars.renamed],
  }),
  search('Full name: first and last names at once, also as they sound', {
    criteria: {
      fullName: 'Catherine Unwin',
      dateOfBirth: '1993-04-14',
      postcode: 'SA6 7AH',
      gender: 'Female',
    },
    finds: [catherine, kathryn],
  }),
]

const byOption = [
  search('A name on a previous licence', {
    criteria: { lastName: 'Pemberton', ...holloway },
    finds: [particulars.renamed],
  }),
  search('A name on a previous licence, not searched', {
    criteria: { lastName: 'Pemberton', ...holloway },
    options: { searchNamesOnPreviousLicences: false },
    finds: [],
  }),
  search('A date of birth on a previous licence', {
    criteria: { ...winterbourne, dateOfBirth: '1982-12-06' },
    finds: [particulars.reborn],
  }),
  search('A date of birth on a previous licence, not searched', {
    criteria: { ...winterbourne, dateOfBirth: '1982-12-06' },
    options: { searchDateOfBirthOnPreviousLicences: false },
    finds: [],
  }),
  search('A postcode, also where only its first half is known', {
    criteria: partridges,
    finds: [particulars.wholePostcode, particulars.partialPostcode],
  }),
  search('The first half of a postcode', {
    criteria: { ...partridges, postcode: 'SA6' },
    finds: [particulars.partialPostcode, particulars.wholePostcode],
  }),
  search('A postcode, whole postcodes alone', {
    criteria: partridges,
    options: { includePartialPostcodesInResults: false },
    finds: [particulars.wholePostcode],
  }),
  search('Images, where there is one', {
    criteria: portraits,
    options: { includeImagesInResults: true },
    finds: [particulars.noPhotograph, particulars.photographed],
  }),
  search('A driver without first names', {
    criteria: { lastName: 'Mononym', dateOfBirth: '1991-05-05', gender: 'Male' },
    finds: [particulars.noFirstNames],
  }),
  search('Nobody', {
    criteria: { lastName: 'Nobody', dateOfBirth: '1980-02-10', gender: 'Male' },
    finds: [],
  }),
]

/** Pages of one search with 75 matches. */
const byPage = (
  [
    ['The first 20 of 75 (the default limit)', {}, [0, 20]],
    ['The 20 after them', { limit: 20, offset: 20 }, [20, 40]],
    ['As many as one answer holds', { limit: 50 }, [0, 50]],
    ['The greatest offset', { limit: 50, offset: 49 }, [49, 75]],
  ] as const
).map(([title, page, places]) =>
  search(title, {
    criteria: { lastName: 'Manifold', postcode: 'SA6 7AQ', gender: 'Male' },
    options: { orderBy: 'dateOfBirth' },
    ...page,
    finds: manifolds.slice(...places),
    totalCount: manifolds.length,
  }),
)

/** Searches that demonstrate every match type, option and page. */
export const findScenarios: readonly FindScenario[] = [...byMatchType, ...byOption, ...byPage]

function search(
  title: string,
  {
    finds,
    totalCount = finds.length,
    ...request
  }: Omit<FindScenario, 'title' | 'finds' | 'totalCount'> & {
    finds: readonly DriverRecord[]
    totalCount?: number
  },
): FindScenario {
  const numbers = finds.map(({ driver }) => driver.drivingLicenceNumber)
  return { title, ...request, finds: numbers, totalCount }
}
