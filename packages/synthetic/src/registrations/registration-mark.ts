import { anniversary, type Day, dayOf, partsOf } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { createShuffle } from '../chance/shuffle.ts'

export type Registration = {
  registrationNumber: string
  /** The day of the first registration. */
  first: Day
  isNorthernIrish: boolean
}

/** Marks of one format and period. There are `size` of them, and each place has a different mark. */
type Format = {
  /** Vehicles per 1,000 with such a mark. */
  share: number
  size: number
  write(place: number, random: Random): Registration
}

/** The identifier of the period of registration, as digits or a letter in the mark. */
type Period = { text: string; from: Day; until: Day }

const firstLetters = 'ABCDEFGHKLMNOPRSVWY'
const secondLetters = 'ABCDEFGHJKLMNOPRSTUVWXY'
const serialLetters = 'ABCDEFGHJKLMNOPRSTUVWXYZ'
const oldLetters = 'ABCDEFGHJKLMNOPRSTUVWXY'
const serials = serialLetters.length ** 3
const oldSerials = oldLetters.length ** 3
const northernIrishPairs =
  'IA IB IG IJ IL IW JI KZ NZ OI UI XI AZ BZ CZ DZ EZ FZ GZ HZ JZ LZ RZ SZ TZ UZ VZ XZ YZ'.split(
    ' ',
  )

const oldestMark = dayOf(1920, 1, 1)
const oldestYearLetter = dayOf(1963, 2, 1)
const currentSince = dayOf(2001, 9, 1)

/**
 * Returns the function from an index to a vehicle's mark and matching day of first registration. Marks of the current
 * format match the half-year and older ones the year letter; dateless and Northern Irish marks match any day. No two
 * indexes have the same mark. It throws for an index beyond the more than 100 million marks.
 */
export function createRegistrations(seed: number, today: Day) {
  const formats = [
    ...currentFormats(today),
    yearLetterFormat(30, prefixes(), (letter, digits, serial) => letter + digits + serial),
    yearLetterFormat(5, suffixes(), (letter, digits, serial) => serial + digits + letter),
    dateless(25, today),
    northernIrish(20, today),
  ]
  const shuffles = formats.map(({ size }, index) => createShuffle(size, seed + index))
  const places = formats.flatMap((format, index) =>
    Array.from({ length: format.share }, (_, rank) => ({ format, index, rank })),
  )
  const mixed = createShuffle(places.length, seed)

  return (index: number, random: Random): Registration => {
    const place = places[mixed(index % places.length)] as (typeof places)[number]
    const inFormat = Math.floor(index / places.length) * place.format.share + place.rank
    if (inFormat >= place.format.size) throw new Error(`no mark is left for vehicle ${index}`)
    const shuffled = (shuffles[place.index] as (typeof shuffles)[number])(inFormat)
    return place.format.write(shuffled, random)
  }
}

/** AB51 ABC. Newer vehicles are more frequent. */
function currentFormats(today: Day): Format[] {
  const ages = [
    { share: 510, from: anniversary(today, -8), until: today },
    { share: 280, from: anniversary(today, -14), until: anniversary(today, -8) },
    { share: 130, from: currentSince, until: anniversary(today, -14) },
  ]
  return ages.map(({ share, from, until }) => {
    const periods = halfYears(today).filter((period) => period.from >= from && period.from < until)
    const tags = firstLetters.length * secondLetters.length
    return {
      share,
      size: periods.length * tags * serials,
      write(place, random) {
        const serial = place % serials
        const tag = Math.floor(place / serials) % tags
        const period = periods[Math.floor(place / serials / tags)] as Period
        const area =
          firstLetters.charAt(Math.floor(tag / secondLetters.length)) +
          secondLetters.charAt(tag % secondLetters.length)
        return {
          registrationNumber: area + period.text + letters(serialLetters, serial, 3),
          first: dayIn(period, random, today),
          isNorthernIrish: false,
        }
      },
    }
  })
}

/** A123 ABC or ABC 123A: one letter for the year. */
function yearLetterFormat(
  share: number,
  periods: Period[],
  write: (letter: string, digits: number, serial: string) => string,
): Format {
  return {
    share,
    size: periods.length * 999 * oldSerials,
    write(place, random) {
      const serial = letters(oldLetters, place % oldSerials, 3)
      const digits = 1 + (Math.floor(place / oldSerials) % 999)
      const period = periods[Math.floor(place / oldSerials / 999)] as Period
      return {
        registrationNumber: write(period.text, digits, serial),
        first: dayIn(period, random, period.until - 1),
        isNorthernIrish: false,
      }
    },
  }
}

/** ABC 123 or 123 ABC: without a date. Some are on old vehicles, most are cherished marks on newer ones. */
function dateless(share: number, today: Day): Format {
  const half = oldSerials * 999
  return {
    share,
    size: half * 2,
    write(place, random) {
      const serial = letters(oldLetters, place % oldSerials, 3)
      const digits = 1 + (Math.floor(place / oldSerials) % 999)
      const isOld = random.chance(0.15)
      return {
        registrationNumber: place < half ? `${serial}${digits}` : `${digits}${serial}`,
        first: isOld
          ? oldestMark + random.below(oldestYearLetter - oldestMark)
          : today - Math.floor(random.unit() ** 2 * 9000),
        isNorthernIrish: false,
      }
    },
  }
}

/** AIA 1234. */
function northernIrish(share: number, today: Day): Format {
  return {
    share,
    size: oldLetters.length * northernIrishPairs.length * 9999,
    write(place, random) {
      const letter = oldLetters.charAt(Math.floor(place / 9999 / northernIrishPairs.length))
      const pair = northernIrishPairs[Math.floor(place / 9999) % northernIrishPairs.length]
      return {
        registrationNumber: `${letter}${pair}${1 + (place % 9999)}`,
        first: today - Math.floor(random.unit() ** 1.5 * 7500),
        isNorthernIrish: true,
      }
    },
  }
}

/** From March the year, from September the year plus 50. */
function halfYears(today: Day): Period[] {
  const { year: lastYear } = partsOf(today)
  const periods: Period[] = []
  for (let year = 2001; year <= lastYear; year++) {
    const [march, september] = [dayOf(year, 3, 1), dayOf(year, 9, 1)]
    const digits = (offset: number) => String((year + offset) % 100).padStart(2, '0')
    if (march > currentSince) periods.push({ text: digits(0), from: march, until: september })
    periods.push({ text: digits(50), from: september, until: dayOf(year + 1, 3, 1) })
  }
  return periods.filter(({ from }) => from <= today)
}

/** A to S from August of the years 1983 to 1998, then two letters a year. */
function prefixes(): Period[] {
  const years = [...'ABCDEFGHJKLMNPRS'].map((text, index) => ({
    text,
    from: dayOf(1983 + index, 8, 1),
  }))
  const halves = [
    { text: 'T', from: dayOf(1999, 3, 1) },
    { text: 'V', from: dayOf(1999, 9, 1) },
    { text: 'W', from: dayOf(2000, 3, 1) },
    { text: 'X', from: dayOf(2000, 9, 1) },
    { text: 'Y', from: dayOf(2001, 3, 1) },
  ]
  return inTurn([...years, ...halves], currentSince)
}

/** A to D by calendar year, E for seven months, then a new letter from each August. */
function suffixes(): Period[] {
  const first = [...'ABCDE'].map((text, index) => ({ text, from: dayOf(1963 + index, 1, 1) }))
  const rest = [...'FGHJKLMNPRSTVWXY'].map((text, index) => ({
    text,
    from: dayOf(1967 + index, 8, 1),
  }))
  return inTurn([...first, ...rest], dayOf(1983, 8, 1))
}

function inTurn(starts: Pick<Period, 'text' | 'from'>[], end: Day): Period[] {
  return starts.map((start, index) => ({ ...start, until: starts[index + 1]?.from ?? end }))
}

function dayIn({ from, until }: Period, random: Random, last: Day): Day {
  return from + random.below(Math.min(until, last + 1) - from)
}

function letters(alphabet: string, place: number, count: number): string {
  let text = ''
  let rest = place
  for (let n = 0; n < count; n++) {
    text += alphabet.charAt(rest % alphabet.length)
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}
