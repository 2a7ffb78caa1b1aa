import { pageOf } from '@despatch/contracts/driver-find/find-page'
import {
  criteriaOf,
  findRequestSchema,
  wantsImages,
} from '@despatch/contracts/driver-find/find-request'
import { type DriverSearch, searchDrivers } from '@despatch/store/enquiry/driver-search'
import type pg from 'pg'
import type { z } from 'zod'

/** A statement as sent to PostgreSQL. If it has a name, it is prepared once on each connection. */
export type Statement = { name?: string; text: string; values: unknown[] }

export type FindRequest = z.input<typeof findRequestSchema>

/** Returns the statement that the service sends to PostgreSQL for a request. Throws unless it is exactly one. */
export async function bareStatement(request: FindRequest): Promise<Statement> {
  const sent: Statement[] = []
  const recorder = {
    query: async (statement: Statement) => {
      sent.push(statement)
      return { rows: [] }
    },
  }
  await searchDrivers(recorder as unknown as pg.Pool, toSearch(request))
  const [statement] = sent
  if (!statement || sent.length > 1) throw new Error('A search is not one statement')
  return statement
}

function toSearch(request: FindRequest): DriverSearch {
  const body = findRequestSchema.parse(request)
  const { options } = body
  return {
    kinds: ['driver'],
    criteria: criteriaOf(body),
    lastNameMatchType: options.lastNameMatchType,
    firstNamesMatchType: options.firstNamesMatchType,
    previousNames: options.searchNamesOnPreviousLicences,
    previousDatesOfBirth: options.searchDateOfBirthOnPreviousLicences,
    withPhotographs: wantsImages(body),
    orderBy: options.orderBy,
    ...pageOf([body, options]),
  }
}
