import type { Gender } from '@despatch/domain/driver/values'
import type pg from 'pg'
import type { RecordSetKind } from '../schema.ts'

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

// The index finds the rows whose terms match the query. For a phonetic search, the statement then decides on those rows
// whether the names sound alike. SQL functions next to the table define the words and the sound of a name, for queries
// and stored names alike.
const driverSearchStatement = {
  name: 'search-drivers',
  text: `
with asked as materialized (
  select
    driver_search_query($3, $4, $5, $6, $7, $8::date, $9, $10::text[], $11, $12) as query,
    name_words($3) as last_words,
    replace(name_words($3), ' ', '') as last_key,
    name_said($3) as last_sound,
    name_words($5) as first_words,
    replace(name_words($5), ' ', '') as first_key,
    name_said($5) as first_sound,
    name_words($7) as full_words,
    name_said($7) as full_sound
), current as materialized (
  select
    (select id from record_set where kind = $1 and state = 'CURRENT') as first_set,
    (select id from record_set where kind = $2 and state = 'CURRENT') as second_set
), met as (
  select held.*,
    held.identity > 0 or coalesce(held.date_of_birth <> $8::date, false) as redirected,
    case
      when replace(held.last_words, ' ', '') <> asked.last_key then case $4::text when 'token' then 2 else 1 end
      when concat_ws(' ', held.first_words, held.last_words) = asked.full_words then 0
      when asked.full_words is not null then case
        when string_to_array(concat_ws(' ', held.first_words, held.last_words), ' ')
          @> string_to_array(asked.full_words, ' ') then 1 else 2 end
      else 0
    end as last_rank,
    case
      when replace(held.first_words, ' ', '') <> asked.first_key then case $6::text when 'token' then 2 else 1 end
      else 0
    end as first_rank,
    coalesce(similarity(held.last_words, asked.last_words), 0)
      + coalesce(similarity(held.first_words, asked.first_words), 0)
      + coalesce(similarity(concat_ws(' ', held.first_words, held.last_words), asked.full_words), 0) as likeness,
    held.postcode is distinct from ($10::text[])[1] as elsewhere
  from driver_search as held cross join asked
  where held.set_id in ((select first_set from current), (select second_set from current))
    and driver_search_terms(
      held.last_words, held.last_sound, held.first_words, held.first_sound, held.date_of_birth,
      held.previous_dates_of_birth, held.postcode, held.gender) @@ (select query from asked)
    and (held.identity = 0 or $13)
    and ($3::text is null or $4 <> 'phonetic' or replace(held.last_words, ' ', '') = asked.last_key
      or last_sounds_alike(asked.last_sound, held.last_sound))
    and ($5::text is null or $6 <> 'phonetic' or replace(held.first_words, ' ', '') = asked.first_key
      or each_sound_among(asked.first_sound, held.first_sound))
    and ($7::text is null or full_sound_among(asked.full_sound, held.last_sound, held.first_sound))
), driver as (
  select distinct on (driving_licence_number) * from met
  order by driving_licence_number, set_id = (select first_set from current) desc, redirected, last_rank, first_rank,
    likeness desc, identity
), page as (
  select driver.set_id, driver.driving_licence_number, driver.redirected, driver.gender,
    coalesce(now_held.last_name, driver.last_name) as last_name,
    row_number() over (
      order by
        case when $14 = 'relevance' then driver.last_rank end,
        case when $14 = 'relevance' then driver.first_rank end,
        case when $14 = 'relevance' then driver.likeness end desc,
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
