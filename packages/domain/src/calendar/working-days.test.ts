import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import type { ProductionCalendar } from '../print-run/capabilities.ts'
import { bankHolidaysOf, isProducingDay } from './working-days.ts'

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

/** As gov.uk publishes them for Scotland, or as the law sets them. 15 June 2026 was proclaimed for that year. */
const ofScotland: typeof published = [
  [2020, '01-01 01-02 04-10 05-08 05-25 08-03 11-30 12-25 12-28'],
  [2021, '01-01 01-04 04-02 05-03 05-31 08-02 11-30 12-27 12-28'],
  [2022, '01-03 01-04 04-15 05-02 06-02 06-03 08-01 09-19 11-30 12-26 12-27'],
  [2023, '01-02 01-03 04-07 05-01 05-08 05-29 08-07 11-30 12-25 12-26'],
  [2024, '01-01 01-02 03-29 05-06 05-27 08-05 12-02 12-25 12-26'],
  [2025, '01-01 01-02 04-18 05-05 05-26 08-04 12-01 12-25 12-26'],
  [2026, '01-01 01-02 04-03 05-04 05-25 06-15 08-03 11-30 12-25 12-28'],
  [2027, '01-01 01-04 03-26 05-03 05-31 08-02 11-30 12-27 12-28'],
]

/** As gov.uk publishes them for Northern Ireland, or as the law sets them. */
const ofNorthernIreland: typeof published = [
  [2020, '01-01 03-17 04-10 04-13 05-08 05-25 07-13 08-31 12-25 12-28'],
  [2021, '01-01 03-17 04-02 04-05 05-03 05-31 07-12 08-30 12-27 12-28'],
  [2022, '01-03 03-17 04-15 04-18 05-02 06-02 06-03 07-12 08-29 09-19 12-26 12-27'],
  [2023, '01-02 03-17 04-07 04-10 05-01 05-08 05-29 07-12 08-28 12-25 12-26'],
  [2024, '01-01 03-18 03-29 04-01 05-06 05-27 07-12 08-26 12-25 12-26'],
  [2025, '01-01 03-17 04-18 04-21 05-05 05-26 07-14 08-25 12-25 12-26'],
  [2026, '01-01 03-17 04-03 04-06 05-04 05-25 07-13 08-31 12-25 12-28'],
  [2027, '01-01 03-17 03-26 03-29 05-03 05-31 07-12 08-30 12-27 12-28'],
]

const divisions = [
  ['england-and-wales', published],
  ['scotland', ofScotland],
  ['northern-ireland', ofNorthernIreland],
] as const

test.each(
  divisions.flatMap(([division, years]) =>
    years.map(([year, days]) => [division, year, days] as const),
  ),
)('%s has in %i the published bank holidays', (division, year, days) => {
  const weekdays = [...bankHolidaysOf(division, year)].filter((date) => dayOfWeek(date) <= 5)

  expect(weekdays.toSorted()).toEqual(days.split(' ').map((day) => `${year}-${day}`))
})

test.each([
  ['2026-06-15', 'scotland', false],
  ['2026-06-15', 'england-and-wales', true],
  ['2027-06-15', 'scotland', true],
  ['2026-04-06', 'scotland', true],
  ['2026-04-06', 'northern-ireland', false],
  ['2026-07-13', 'northern-ireland', false],
  ['2026-07-13', 'england-and-wales', true],
  ['2026-11-30', 'scotland', false],
  ['2026-11-30', 'none', true],
] as const)('on %s a site with the bank holidays of %s works: %s', (date, bankHolidays, works) => {
  const calendar: ProductionCalendar = {
    weekdays: [1, 2, 3, 4, 5],
    bankHolidays,
    closedOn: [],
    cutOff: '17:30',
    productionDays: 1,
    classes: [],
  }

  expect(isProducingDay(calendar, 'SECOND', date)).toBe(works)
})

test('the bank holidays of a year are computed once', () => {
  expect(bankHolidaysOf('scotland', 2026)).toBe(bankHolidaysOf('scotland', 2026))
})

const onWeekends: [year: number, days: string[]][] = [
  [2011, ['2011-01-01', '2011-12-25']],
  [2016, ['2016-12-25']],
  [2020, ['2020-12-26']],
  [2021, ['2021-12-25', '2021-12-26']],
  [2022, ['2022-01-01', '2022-12-25']],
  [2023, ['2023-01-01']],
  [2024, []],
]

test.each(onWeekends)(
  'a holiday on a weekend of %i stays a holiday beside its substitute, and Easter Sunday does not count',
  (year, days) => {
    const weekend = [...bankHolidaysOf('england-and-wales', year)].filter(
      (date) => dayOfWeek(date) > 5,
    )

    expect(weekend).toEqual(days)
  },
)

function dayOfWeek(date: string): number {
  return Temporal.PlainDate.from(date).dayOfWeek
}
