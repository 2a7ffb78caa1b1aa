import type { RequestProblemKind } from '@despatch/domain/problem'
import { findSearches } from './find/find-searches.ts'

export { uatFindDrivers } from './find/find-drivers.ts'

export type FindMatchType = 'exact' | 'phonetic' | 'token'

export type FindCriteria = {
  firstNames?: string
  lastName?: string
  fullName?: string
  dateOfBirth?: string
  postcode?: string
  gender?: 'Male' | 'Female'
}

export type FindOptions = {
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

export const findRefusals: readonly FindRefusal[] = [
  {
    lastName: 'UATBADREQUEST',
    title: 'Bad request',
    status: 400,
    outcome: {
      kind: 'problem',
      problem: 'invalid-field',
      detail: 'Invalid format for field - criteria',
    },
  },
  {
    lastName: 'UATTOOMANY',
    title: 'Request rate limit exceeded',
    status: 429,
    outcome: { kind: 'problem', problem: 'too-many-requests', detail: 'Too Many Requests' },
  },
  { lastName: 'UATERROR', title: 'Internal error', status: 500, outcome: { kind: 'fault' } },
  {
    lastName: 'UATUNAVAILABLE',
    title: 'Service unavailable (maintenance)',
    status: 503,
    outcome: {
      kind: 'problem',
      problem: 'unavailable',
      detail: 'The service is currently down for maintenance',
    },
  },
]

/** Returns the predefined refusal for a last name, ignoring case. */
export function findRefusal(lastName: string): FindRefusal | undefined {
  return findRefusals.find((refusal) => refusal.lastName === lastName.trim().toUpperCase())
}

/** Searches that demonstrate every match type, option and page. */
export const findScenarios: readonly FindScenario[] = findSearches
