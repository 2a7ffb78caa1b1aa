import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { bankHolidaysOf } from './working-days.ts'

/** As gov.uk publishes them for England and Wales, or, for future years, as the law sets them. */
const published: [year: number, days: string][] = [
  [2020, '01-01 04-10 04-13 05-08 05-25 08-31 12-25 12-28'],
  [2021, '01-01 04-02 04-05 05-03 05-31 08-30 12-27 12-28'],
  [2022, '01-03 04-15 04-18 05-02 06-02 06-03 08-29 09-19 12-26 12-27'],
  [2023, '01-02 04-07 04-10 05-01 05-08 05-29 08-28 12-25 12-26'],
  [2024, '01-01 03-29 04-01 05-06 05-27 08-26 12-25 12-26'],
  [2025, '01-01 04-18 04-21 05-05 05-26 08-25 12-25 12-26'],
  [2026, '01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-28'],
  [2027, '01-01 03-26 03-29 05-03 05-31 08-30 12-27 12-28'],
  [2028, '01-03 04-14 04-17 05-01 05-29 08-28 12-25 12-26'],
  [2029, '01-01 03-30 04-02 05-07 05-28 08-27 12-25 12-26'],
  [2030, '01-01 04-19 04-22 05-06 05-27 08-26 12-25 12-26'],
]

test.each(published)('%i has the bank holidays that are published', (year, days) => {
  const weekdays = [...bankHolidaysOf(year)].filter((date) => dayOfWeek(date) <= 5)

  expect(weekdays).toEqual(days.split(' ').map((day) => `${year}-${day}`))
})

const onWeekends: [year: number, days: string[]][] = [
  [2020, ['2020-12-26']],
  [2021, ['2021-12-25', '2021-12-26']],
  [2022, ['2022-01-01', '2022-12-25']],
  [2023, ['2023-01-01']],
  [2024, []],
]

test.each(onWeekends)(
  'a holiday on a weekend of %i is one beside its substitute, and Easter Sunday is none',
  (year, days) => {
    const weekend = [...bankHolidaysOf(year)].filter((date) => dayOfWeek(date) > 5)

    expect(weekend).toEqual(days)
  },
)

function dayOfWeek(date: string): number {
  return Temporal.PlainDate.from(date).dayOfWeek
}
