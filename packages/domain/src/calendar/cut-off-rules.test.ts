import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bankHolidayDivisions,
  type MaintenanceWindow,
  type ProductionCalendar,
  type Weekday,
} from '../print-run/capabilities.ts'
import { expectedDespatchDate, nextCutOff } from './cut-off.ts'
import { addDays, londonDateOf, londonInstant } from './london.ts'
import { maintenanceAt } from './maintenance.ts'
import { calendarOf, isProducingDay } from './working-days.ts'

const dayMs = 24 * 3_600_000
const method = 'SECOND'

/** Days around which calendar code fails: clock changes, Christmas, Easter, leap days, ends of years. */
const troubled = [
  '2024-02-29',
  '2026-03-29',
  '2026-10-25',
  '2026-12-25',
  '2027-12-25',
  '2028-02-29',
]

const anInstant = fc.oneof(
  fc.date({ min: new Date('2020-01-01'), max: new Date('2031-01-01'), noInvalidDate: true }),
  fc
    .tuple(fc.constantFrom(...troubled), fc.integer({ min: -4 * dayMs, max: 4 * dayMs }))
    .map(([day, ms]) => new Date(Date.parse(day) + ms)),
)
const aTime = fc
  .integer({ min: 0, max: 24 * 60 - 1 })
  .map((minute) => new Date(minute * 60_000).toISOString().slice(11, 16))
const weekdays = fc.subarray<Weekday>([1, 2, 3, 4, 5, 6, 7], { minLength: 1 })
const aCalendar: fc.Arbitrary<ProductionCalendar> = fc.record({
  weekdays: fc.oneof(fc.constant([1, 2, 3, 4, 5] satisfies Weekday[]), weekdays),
  bankHolidays: fc.constantFrom(...bankHolidayDivisions, 'none' as const),
  closedOn: fc.subarray(troubled),
  cutOff: fc.oneof(aTime, fc.constantFrom('01:00', '01:30', '17:30')),
  productionDays: fc.integer({ min: 0, max: 5 }),
  classes: fc.oneof(
    fc.constant([]),
    fc.constant([{ despatchMethod: method, weekdays: [1, 3, 4] satisfies Weekday[] } as const]),
    fc.record({ despatchMethod: fc.constant(method), weekdays, cutOff: aTime }).map((own) => [own]),
  ),
})
/** Windows of up to three days near an instant. */
function someMaintenance(at: Date): fc.Arbitrary<MaintenanceWindow[]> {
  const window = fc
    .tuple(
      fc.integer({ min: -dayMs, max: 10 * dayMs }),
      fc.integer({ min: 60_000, max: 3 * dayMs }),
    )
    .map(([start, length]) => ({
      from: new Date(+at + start).toISOString(),
      until: new Date(+at + start + length).toISOString(),
    }))
  return fc.array(window, { maxLength: 3 })
}
const aCase = anInstant.chain((at) =>
  fc.record({ at: fc.constant(at), calendar: aCalendar, maintenance: someMaintenance(at) }),
)

test('the next cut-off is strictly later, on a producing day, at its time in London, outside maintenance', () => {
  fc.assert(
    fc.property(aCase, ({ at, calendar, maintenance }) => {
      const next = nextCutOff({ calendar, maintenance }, method, at)
      if (!next) return
      const date = londonDateOf(next)
      expect(next > at).toBe(true)
      expect(isProducingDay(calendar, method, date)).toBe(true)
      expect(next).toEqual(londonInstant(date, calendarOf(calendar, method).cutOff))
      expect(wallTime(next)).toBe(expectedTime(date, calendarOf(calendar, method).cutOff))
      expect(maintenanceAt(maintenance, next)).toBeUndefined()
    }),
    { numRuns: byEffort({ landing: 100, full: 2_000 }) },
  )
})

test('there is no earlier cut-off: every day before it is not produced, over, or in maintenance', () => {
  fc.assert(
    fc.property(aCase, ({ at, calendar, maintenance }) => {
      const next = nextCutOff({ calendar, maintenance }, method, at)
      const last = next ? londonDateOf(next) : addDays(londonDateOf(at), 400)
      for (let date = londonDateOf(at); date < last; date = addDays(date, 1)) {
        const candidate = londonInstant(date, calendarOf(calendar, method).cutOff)
        expect(
          candidate <= at ||
            !isProducingDay(calendar, method, date) ||
            maintenanceAt(maintenance, candidate) !== undefined,
        ).toBe(true)
      }
    }),
    { numRuns: byEffort({ landing: 60, full: 1_000 }) },
  )
})

test('a later moment never has an earlier cut-off, and every moment before a cut-off has that cut-off', () => {
  fc.assert(
    fc.property(aCase, fc.double({ min: 0, max: 1, noNaN: true }), (known, part) => {
      const { at, ...site } = known
      const next = nextCutOff(site, method, at)
      if (!next) return
      const between = new Date(+at + Math.floor((+next - +at - 1) * part))
      expect(nextCutOff(site, method, between)).toEqual(next)
      const following = nextCutOff(site, method, next)
      expect(following === undefined || following > next).toBe(true)
    }),
    { numRuns: byEffort({ landing: 100, full: 2_000 }) },
  )
})

test('a producing day has one cut-off, even when the clocks change', () => {
  fc.assert(
    fc.property(aTime, fc.constantFrom('2026-03-27', '2026-10-23'), (cutOff, friday) => {
      const calendar: ProductionCalendar = {
        weekdays: [1, 2, 3, 4, 5, 6, 7],
        bankHolidays: 'none',
        closedOn: [],
        cutOff,
        productionDays: 0,
        classes: [],
      }
      const dates: string[] = []
      let at = new Date(+londonInstant(friday, '00:00') - 1)
      while (dates.length < 5) {
        at = nextCutOff({ calendar, maintenance: [] }, method, at)!
        dates.push(londonDateOf(at))
      }
      expect(dates).toEqual([0, 1, 2, 3, 4].map((days) => addDays(friday, days)))
    }),
  )
})

test('documents are despatched on a producing day, not before their cut-off, and later cut-offs not earlier', () => {
  fc.assert(
    fc.property(aCase, ({ at, ...site }) => {
      const next = nextCutOff(site, method, at)
      const following = next && nextCutOff(site, method, next)
      if (!next || !following) return
      const date = expectedDespatchDate(site, method, next)
      const later = expectedDespatchDate(site, method, following)
      if (!date || !later) return
      expect(isProducingDay(site.calendar, method, date)).toBe(true)
      expect(date >= londonDateOf(next)).toBe(true)
      expect(later >= date).toBe(true)
    }),
    { numRuns: byEffort({ landing: 60, full: 1_000 }) },
  )
})

/** London time, computed without the code under test. */
function wallTime(at: Date): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/London',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at)
}

/** The hour from one o'clock does not exist on the last Sunday of March. */
function expectedTime(date: string, time: string): string {
  const isGap = /-03-(2[5-9]|3[01])$/.test(date) && new Date(date).getUTCDay() === 0
  return isGap && time.startsWith('01:') ? time.replace('01:', '02:') : time
}
