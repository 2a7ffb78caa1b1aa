import type { Gender } from '@despatch/domain/driver/values'
import type pg from 'pg'
import type { RecordSetKind } from '../schema.ts'
import { firstNameWeights, lastNameWeights } from './name-weights.ts'

type NameMatchType = 'exact' | 'phonetic' | 'token'
type DriverOrder = 'relevance' | 'lastName' | 'dateOfBirth'

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

type FoundDriver = {
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
 * total, so that pages neither repeat nor omit a driver: the drivers whose names are most alike first.
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

/** The logarithm of the odds from which two names count as one, if little else is known of the driver. */
export const likenessMin = -0.1
/** The same beside a date of birth or a whole postcode, which a namesake rarely shares. */
export const likenessMinOfFew = -2
/** The same for a last name beside equal first names. */
const likenessMinOfEqualFirstNames = -1

function toValues(search: DriverSearch): unknown[] {
  const { kinds, criteria } = search
  const { dateOfBirth, postcode } = criteria
  const few =
    dateOfBirth !== undefined || (postcode !== undefined && postcode.beginning === undefined)
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
    few,
    lastNameWeights,
    firstNameWeights,
    few ? likenessMinOfFew : likenessMin,
    few ? likenessMinOfFew : likenessMinOfEqualFirstNames,
  ]
}

// The index finds the rows whose terms match the query. The statement then compares each name on those rows once, and
// keeps the rows whose names are alike. SQL functions next to the table define the words, the sound and the comparison
// of names, for queries and stored names alike.
const driverSearchStatement = {
  name: 'search-drivers',
  text: `
with asked as materialized (
  select
    driver_candidates_query($3, $4, $5, $6, $7, $8::date, $9, $10::text[], $11, $12, $18) as query,
    name_words($3) as last_words,
    replace(name_words($3), ' ', '') as last_key,
    case when $4 = 'phonetic' then name_said($3) end as last_sound,
    name_words($5) as first_words,
    replace(name_words($5), ' ', '') as first_key,
    name_asked(case when $6 = 'phonetic' then $5 end) as first_names,
    name_words($7) as full_words,
    name_asked($7) as full_name
), current as materialized (
  select
    (select id from record_set where kind = $1 and state = 'CURRENT') as first_set,
    (select id from record_set where kind = $2 and state = 'CURRENT') as second_set
), candidate as materialized (
  select held.* from driver_search as held
  where held.set_id in ((select first_set from current), (select second_set from current))
    and driver_search_terms(
      held.last_words, held.last_sound, held.first_words, held.first_sound, held.date_of_birth,
      held.previous_dates_of_birth, held.postcode, held.gender) @@ (select query from asked)
    and (held.identity = 0 or $13)
), last_name as materialized (
  select held.last_words, case
      when $3::text is null or replace(held.last_words, ' ', '') = asked.last_key then 10
      when $4::text = 'phonetic'
        then last_likeness(asked.last_words, asked.last_sound, held.last_words, held.last_sound, $19::float8[])
      else 10 * similarity(held.last_words, asked.last_words)
    end as likeness,
    word_likenesses((asked.full_name).words, (asked.full_name).said, '{}', held.last_words, held.last_sound,
      $19::float8[]) as of_full_name
  from (select distinct last_words, last_sound from candidate) as held cross join asked
), first_name as materialized (
  select held.first_words, case
      when $5::text is null or replace(held.first_words, ' ', '') = asked.first_key then 10
      when $6::text = 'phonetic'
        then least_likeness(word_likenesses((asked.first_names).words, (asked.first_names).said,
          (asked.first_names).short_forms, held.first_words, held.first_sound, $20::float8[]))
      else 10 * similarity(held.first_words, asked.first_words)
    end as likeness,
    word_likenesses((asked.full_name).words, (asked.full_name).said, (asked.full_name).short_forms,
      held.first_words, held.first_sound, $20::float8[]) as of_full_name
  from (select distinct first_words, first_sound from candidate) as held cross join asked
), compared as (
  select held.*,
    held.identity > 0 or coalesce(held.date_of_birth <> $8::date, false) as redirected,
    last_name.likeness as last_likeness,
    first_name.likeness as first_likeness,
    case when $7::text is null then 10
      else full_likeness(last_name.of_full_name, first_name.of_full_name, $21) end as full_likeness,
    coalesce(similarity(held.last_words, asked.last_words), 0)
      + coalesce(similarity(held.first_words, asked.first_words), 0)
      + coalesce(similarity(concat_ws(' ', held.first_words, held.last_words), asked.full_words), 0) as trigrams_shared,
    held.postcode is distinct from ($10::text[])[1] as elsewhere
  from candidate as held cross join asked
    join last_name on last_name.last_words = held.last_words
    left join first_name on first_name.first_words = held.first_words
), met as (
  -- a driver without first names is compared only if none are asked for
  select *, last_likeness + coalesce(first_likeness, 10) + full_likeness as likeness from compared
  where ($4 <> 'phonetic' or last_likeness >=
      case when $5::text is not null and first_likeness = 10 then $22 else $21 end)
    and ($5::text is null or $6 <> 'phonetic' or first_likeness >= $21)
    and full_likeness >= $21
), driver as (
  select distinct on (driving_licence_number) * from met
  order by driving_licence_number, set_id = (select first_set from current) desc, redirected, likeness desc,
    trigrams_shared desc, identity
), page as (
  select driver.set_id, driver.driving_licence_number, driver.redirected, driver.gender,
    coalesce(now_held.last_name, driver.last_name) as last_name,
    row_number() over (
      order by
        case when $14 = 'relevance' then driver.likeness end desc,
        case when $14 = 'relevance' then driver.trigrams_shared end desc,
        case when $14 = 'relevance' then driver.elsewhere end,
        case when $14 = 'dateOfBirth' then driver.date_of_birth end,
        coalesce(now_held.last_words, driver.last_words) collate "C",
        coalesce(now_held.first_words, driver.first_words) collate "C",
        driver.driving_licence_number collate "C"
    ) as place
  from driver
    -- the current name of drivers who were found by a previous name
    left join driver_search as now_held on now_held.set_id = driver.set_id and now_held.identity = 0
      and now_held.driving_licence_number = case when driver.identity > 0 then driver.driving_licence_number end
  order by place
  limit $15 offset $16
)
select total.total, page.driving_licence_number as number, page.last_name, page.gender, page.redirected,
  record.photograph
from (select count(*) as total from driver) as total
  left join page on true
  left join driver_record as record on $17 and record.set_id = page.set_id
    and record.driving_licence_number = page.driving_licence_number
order by page.place
`,
}
