import type { Driver } from './driver-record.ts'

/** Of these, a driving licence number is made: who holds it. */
type Holder = Pick<Driver, 'lastName' | 'firstNames' | 'dateOfBirth' | 'gender'>

/**
 * The normal form of a number as written by people: without white space, its ASCII letters in upper case. Other letters
 * stay as they are, so that none of them turns into a letter that a number may have.
 */
export function normaliseDrivingLicenceNumber(text: string): string {
  return text.replaceAll(/\s/g, '').replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())
}

/**
 * The agency's own pattern in upper case: five of the last name, decade of birth, month (50 more for women), day, year,
 * two initials, one that tells people alike apart, two check letters. It looks neither at the length of a month nor at
 * the check letters, whose rule is not public.
 */
const pattern =
  /^(?=.{16}$)[A-Z]{1,5}9{0,4}[0-9](?:[05][1-9]|[16][0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9](?:99|[A-Z][A-Z9])[2-9A-HJ-NPR-X][A-Z]{2}$/

/** True of a number of Great Britain in its normal form, false of any other text (see `normaliseDrivingLicenceNumber`). */
export function isDrivingLicenceNumber(text: string): boolean {
  return pattern.test(text)
}

/**
 * The number of a driver: 13 characters follow from the holder, `fourteenth` and the two `checkLetters` are the caller's.
 * Throws for a last name without a Latin letter and for a date of birth that is not YYYY-MM-DD.
 */
export function drivingLicenceNumberOf(
  holder: Holder,
  { fourteenth, checkLetters }: { fourteenth: string; checkLetters: string },
): string {
  const name = lastNameCode(foldedLetters(holder.lastName))
  if (name === '99999')
    throw new Error('lastName has no letter that a driving licence number takes')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(holder.dateOfBirth)) throw new Error('dateOfBirth is not a date')

  return `${name}${birthCode(holder)}${initialsCode(holder.firstNames)}${fourteenth}${checkLetters}`
}

export type NumberMismatch = 'lastName' | 'dateOfBirth' | 'gender' | 'firstNames'

/**
 * What of a driver does not agree with the driving licence number, which has its normal form; empty when all of it
 * does. A hint on the quality of the record: a name may have changed since the number was given. Mac is accepted both
 * as MAC and as MC.
 */
export function findNumberMismatches(number: string, holder: Holder): NumberMismatch[] {
  const letters = foldedLetters(holder.lastName)
  const name = number.slice(0, 5)
  const nameAgrees = name === lastNameCode(letters) || name === paddedName(letters)
  const [year, month, day] = [
    holder.dateOfBirth.slice(2, 4),
    ...holder.dateOfBirth.split('-').slice(1),
  ]
  const monthInNumber = Number(number.slice(6, 8))
  const birthInNumber = [
    number.charAt(5) + number.charAt(10),
    String(monthInNumber % 50).padStart(2, '0'),
    number.slice(8, 10),
  ]

  const mismatches: NumberMismatch[] = []
  if (!nameAgrees) mismatches.push('lastName')
  if (birthInNumber.join() !== [year, month, day].join()) mismatches.push('dateOfBirth')
  if (monthInNumber > 50 !== (holder.gender === 'Female')) mismatches.push('gender')
  if (number.slice(11, 13) !== initialsCode(holder.firstNames)) mismatches.push('firstNames')
  return mismatches
}

/** Names that begin with MAC are written as those that begin with MC. */
function lastNameCode(letters: string): string {
  return paddedName(letters.startsWith('MAC') ? `MC${letters.slice(3)}` : letters)
}

function paddedName(letters: string): string {
  return letters.slice(0, 5).padEnd(5, '9')
}

/** Decade, month and gender, day, year: 6 digits. */
function birthCode({ dateOfBirth, gender }: Holder): string {
  const month =
    gender === 'Female' ? String(Number(dateOfBirth.slice(5, 7)) + 50) : dateOfBirth.slice(5, 7)
  return `${dateOfBirth.charAt(2)}${month}${dateOfBirth.slice(8)}${dateOfBirth.charAt(3)}`
}

/** Initials of the first two forenames, 9 for each that is missing. */
function initialsCode(firstNames = ''): string {
  const initials = firstNames.split(/\s+/).map((name) => foldedLetters(name).charAt(0))
  return initials.join('').slice(0, 2).padEnd(2, '9')
}

/** Letters that do not come apart into an ASCII letter and an accent. */
const foldings: Record<string, string> = {
  Æ: 'AE',
  Đ: 'D',
  Ð: 'D',
  Ł: 'L',
  Ø: 'O',
  Œ: 'OE',
  Þ: 'TH',
}

/** A to Z alone: without accents, apostrophes, hyphens and spaces. */
function foldedLetters(name: string): string {
  const upper = name.toUpperCase()
  if (/^[A-Z]*$/.test(upper)) return upper

  const folded = upper.replaceAll(/[ÆĐÐŁØŒÞ]/g, (letter) => foldings[letter] ?? '')
  return folded.normalize('NFD').replaceAll(/[^A-Z]/g, '')
}
