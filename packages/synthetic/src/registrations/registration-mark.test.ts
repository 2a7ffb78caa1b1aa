import { byEffort } from '@despatch/testing/effort'
import { expect, test } from 'vitest'
import { formatDay, parseDay } from '../calendar.ts'
import { createRandom } from '../chance/random.ts'
import { createRegistrations, type Registration } from './registration-mark.ts'

const today = parseDay('2026-11-20', 'today')
const randoms = createRandom(1)
const registrationOf = createRegistrations(1, today)
const count = byEffort({ landing: 20_000, full: 100_000 })
const registrations = Array.from({ length: count }, (_, index) => at(index))

function at(index: number): Registration {
  return registrationOf(index, randoms.at(index))
}

const forms: [form: RegExp, from: number, to: number][] = [
  [/^[A-Z]{2}\d{2}[A-Z]{3}$/, 0.85, 0.97],
  [/^[A-Z]\d{1,3}[A-Z]{3}$/, 0.02, 0.05],
  [/^[A-Z]{3}\d{1,3}[A-Z]$/, 0.002, 0.01],
  [/^[A-Z]{3}\d{1,4}$/, 0.02, 0.05],
  [/^\d{1,3}[A-Z]{3}$/, 0.005, 0.03],
]

test.for(forms)('%s: at least %j and at most %j of the marks', ([form, from, to]) => {
  const share =
    registrations.filter(({ registrationNumber }) => form.test(registrationNumber)).length /
    registrations.length

  expect(share).toBeGreaterThan(from)
  expect(share).toBeLessThan(to)
})

test('every mark has one of the forms and no vehicle is registered after today', () => {
  const odd = registrations.filter(
    ({ registrationNumber, first }) =>
      first > today || !forms.some(([form]) => form.test(registrationNumber)),
  )

  expect(odd).toEqual([])
})

test('all marks differ, also from those of much later numbers', () => {
  const far = Array.from({ length: 20_000 }, (_, index) => at(80_000_000 + index))
  const marks = [...registrations, ...far].map(({ registrationNumber }) => registrationNumber)

  expect(new Set(marks).size).toBe(count + far.length)
})

test('digits of the present format say the half-year of the first registration', () => {
  const wrong = registrations.filter(({ registrationNumber, first }) => {
    const digits = /^[A-Z]{2}(\d{2})[A-Z]{3}$/.exec(registrationNumber)?.[1]
    return digits !== undefined && digits !== halfYear(formatDay(first))
  })

  expect(wrong).toEqual([])
})

const letters: [mark: RegExp, from: string, until: string][] = [
  [/^A\d+[A-Z]{3}$/, '1983-08-01', '1984-08-01'],
  [/^S\d+[A-Z]{3}$/, '1998-08-01', '1999-03-01'],
  [/^Y\d+[A-Z]{3}$/, '2001-03-01', '2001-09-01'],
  [/^[A-Z]{3}\d+A$/, '1963-01-01', '1964-01-01'],
  [/^[A-Z]{3}\d+E$/, '1967-01-01', '1967-08-01'],
  [/^[A-Z]{3}\d+Y$/, '1982-08-01', '1983-08-01'],
]

test.for(letters)('%s was registered from %s to before %s', ([form, from, until]) => {
  const days = registrations
    .filter(({ registrationNumber }) => form.test(registrationNumber))
    .map(({ first }) => formatDay(first))

  expect(days.length).toBeGreaterThan(0)
  expect(days.filter((day) => day < from || day >= until)).toEqual([])
})

test('refuses an index when every mark of its format is given out', () => {
  expect(() => at(10_000_000_000)).toThrow('no mark is left for vehicle 10000000000')
})

test('a day within the first half-year after the format began leaves marks to give', () => {
  const march = parseDay('2027-03-01', 'today')
  const marchRegistrations = createRegistrations(1, march)

  const firsts = Array.from({ length: 5000 }, (_, index) =>
    marchRegistrations(index, randoms.at(index)),
  )

  expect(firsts.filter(({ first }) => first > march)).toEqual([])
})

/** March to August: the year. September to February: the year of that September plus 50. */
function halfYear(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number)
  if (month >= 3 && month < 9) return String(year % 100).padStart(2, '0')
  return String(((month < 3 ? year - 1 : year) + 50) % 100).padStart(2, '0')
}
