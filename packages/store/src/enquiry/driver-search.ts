import type { Gender } from '@despatch/domain/driver/values'
import type pg from 'pg'
import type { RecordSetKind } from '../schema.ts'
import { driverSearchStatement } from './driver-search-statement.ts'

export type NameMatchType = 'exact' | 'phonetic' | 'token'
export type DriverOrder = 'relevance' | 'lastName' | 'dateOfBirth'

export type DriverSearch = {
  /** Sets to search; of a driver that two of them have, the earlier one counts. */
  kinds: readonly [RecordSetKind] | readonly [RecordSetKind, RecordSetKind]
  /** Every one that is given must be met. Names must have a letter. */
  criteria: {
    lastName?: string | undefined
    firstNames?: string | undefined
    /** Each word is met by a last name or by first names, one of them at least by a last name. */
    fullName?: string | undefined
    /** YYYY-MM-DD. */
    dateOfBirth?: string | undefined
    /** Unspaced upper case: whole postcodes to meet, and one that theirs may go on from. */
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
  /** A JPEG; null when none is held or none was asked for. */
  photograph: Buffer | null
  /** True: only what stood on a previous licence meets the criteria. */
  redirected: boolean
}

export type DriverSearchPage = { drivers: FoundDriver[]; totalCount: number }

/**
 * Finds the drivers of the current sets that meet the criteria: one page, and how many there are in all. The order is
 * total, so that pages neither repeat nor leave out a driver: names that are equal, then those that sound alike, then
 * those that hold the word; inside these the most similar first.
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

/** One row for each driver of the page, or a single one without a driver. */
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
