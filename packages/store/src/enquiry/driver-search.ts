import type { Gender } from '@despatch/domain/driver/values'
import type pg from 'pg'
import type { RecordSetKind } from '../schema.ts'
import { driverSearchStatement } from './driver-search-statement.ts'

export type NameMatchType = 'exact' | 'phonetic' | 'token'
export type DriverOrder = 'relevance' | 'lastName' | 'dateOfBirth'

export type DriverSearch = {
  /** Sets to search. If two of them have a driver, the earlier one counts. */
  kinds: readonly [RecordSetKind] | readonly [RecordSetKind, RecordSetKind]
  /** Every given criterion must match. Names must contain a letter. */
  criteria: {
    lastName?: string | undefined
    firstNames?: string | undefined
    /** Each word must match a last name or first names, and at least one of them a last name. */
    fullName?: string | undefined
    /** YYYY-MM-DD. */
    dateOfBirth?: string | undefined
    /** Upper case without spaces. `equals` are whole postcodes, `beginning` is a prefix. */
    postcode?: { equals: readonly string[]; beginning?: string | undefined } | undefined
    gender?: Gender | undefined
  }
  lastNameMatchType: NameMatchType
  firstNamesMatchType: NameMatchType
  previousNames: boolean
  previousDatesOfBirth: boolean
  withPhotographs: boolean
  orderBy: DriverOrder
  limit: number
  offset: number
}

export type FoundDriver = {
  drivingLicenceNumber: string
  lastName: string
  gender: Gender
  /** A JPEG; null if none is stored or none was requested. */
  photograph: Buffer | null
  /** True: only details of a previous licence match the criteria. */
  redirected: boolean
}

export type DriverSearchPage = { drivers: FoundDriver[]; totalCount: number }

/**
 * Finds the drivers of the current sets that match the criteria. Returns one page and the total count. The order is
 * total, so that pages neither repeat nor omit a driver: equal names first, then names that sound alike, then names
 * that contain the word; within each group, the most similar first.
 */
export async function searchDrivers(
  pool: pg.Pool,
  search: DriverSearch,
): Promise<DriverSearchPage> {
  const { rows } = await pool.query<Row>({
    ...driverSearchStatement,
    values: toValues(search),
  })
  const drivers = rows.flatMap(({ number, last_name, gender, photograph, redirected }) =>
    number === null
      ? []
      : [{ drivingLicenceNumber: number, lastName: last_name, gender, photograph, redirected }],
  )
  return { drivers, totalCount: rows[0]?.total ?? 0 }
}

/** One row for each driver of the page, or a single row without a driver. */
type Row = {
  total: number
  number: string | null
  last_name: string
  gender: Gender
  photograph: Buffer | null
  redirected: boolean
}

function toValues(search: DriverSearch): unknown[] {
  const { kinds, criteria } = search
  return [
    kinds[0],
    kinds[1] ?? null,
    criteria.lastName ?? null,
    search.lastNameMatchType,
    criteria.firstNames ?? null,
    search.firstNamesMatchType,
    criteria.fullName ?? null,
    criteria.dateOfBirth ?? null,
    search.previousDatesOfBirth,
    criteria.postcode?.equals ?? null,
    criteria.postcode?.beginning ?? null,
    criteria.gender ?? null,
    search.previousNames,
    search.orderBy,
    search.limit,
    search.offset,
    search.withPhotographs,
  ]
}
