import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import type { FindScenario } from '../find-scenarios.ts'
import { manifolds, namesakes, particulars } from './find-drivers.ts'

const { smith, smyth, smythe, smithson, smithJones, jonesSmith } = namesakes
const { oBrien, obrien, macDonald, mcDonald, stJohn, saintJohn } = namesakes
const { joseWithAccent, jose, thompson, thomson, catherine, kathryn } = namesakes

const smiths = { lastName: 'Smith', dateOfBirth: '1980-02-10', gender: 'Male' } as const
const holloway = { dateOfBirth: '1986-09-18', gender: 'Female' } as const
const winterbourne = { lastName: 'Winterbourne', gender: 'Male' } as const
const partridges = { lastName: 'Partridge', postcode: 'SA6 7JL', gender: 'Female' } as const
const portraits = {
  lastName: 'Portrait',
  dateOfBirth: '1995-10-31',
  gender: 'Female',
} as const
const many = { lastName: 'Manifold', postcode: 'SA6 7AQ', gender: 'Male' } as const

/** Grouped by how the last name matches, then the first names. */
const byMatchType: readonly FindScenario[] = [
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

const byOption: readonly FindScenario[] = [
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
const byPage: readonly FindScenario[] = [
  search('The first 20 of 75 (the default limit)', {
    criteria: many,
    options: { orderBy: 'dateOfBirth' },
    finds: manifolds.slice(0, 20),
    totalCount: manifolds.length,
  }),
  search('The 20 after them', {
    criteria: many,
    options: { orderBy: 'dateOfBirth' },
    limit: 20,
    offset: 20,
    finds: manifolds.slice(20, 40),
    totalCount: manifolds.length,
  }),
  search('As many as one answer holds', {
    criteria: many,
    options: { orderBy: 'dateOfBirth' },
    limit: 50,
    finds: manifolds.slice(0, 50),
    totalCount: manifolds.length,
  }),
  search('The greatest offset', {
    criteria: many,
    options: { orderBy: 'dateOfBirth' },
    limit: 50,
    offset: 49,
    finds: manifolds.slice(49),
    totalCount: manifolds.length,
  }),
]

export const findSearches: readonly FindScenario[] = [...byMatchType, ...byOption, ...byPage]

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
