import type { Driver } from './driver-record.ts'

/** The holder's details from which a driving licence number is made. */
type Holder = Pick<Driver, 'lastName' | 'firstNames' | 'dateOfBirth' | 'gender'>

/**
 * Returns the normal form of a number written by a person: without white space, with its ASCII letters in upper case.
 * Other letters stay as they are, so that none of them becomes a letter that a number may have.
 */
export function normaliseDrivingLicenceNumber(text: string): string {
  return text.replaceAll(/\s/g, '').replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
}

/**
 * The agency's own pattern in upper case: five characters of the last name, decade of birth, month (plus 50 for women),
 * day, year, two initials, one character that distinguishes people who would otherwise have the same number, two check
 * letters. It checks neither the length of a month nor the check letters, whose rule is not public.
 */
const pattern =
  /^(?=.{16}$)[A-Z]{1,5}9{0,4}[0-9](?:[05][1-9]|[16][0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9](?:99|[A-Z][A-Z9])[2-9A-HJ-NPR-X][A-Z]{2}$/

/**
 * Returns true for a number of Great Britain in its normal form, false for any other text (see
 * `normaliseDrivingLicenceNumber`).
 */
export function isDrivingLicenceNumber(text: string): boolean {
  return pattern.test(text)
}

/**
 * Returns the number of a driver: 13 characters follow from the holder; the caller provides `fourteenth` and the two
 * `checkLetters`. Throws if the last name has no Latin letter or the date of birth is not YYYY-MM-DD.
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

/** Encodes names that begin with MAC like those that begin with MC. */
function lastNameCode(letters: string): string {
  return letters.replace(/^MAC/, 'MC').slice(0, 5).padEnd(5, '9')
}

/** Decade, month and gender, day, year: 6 digits. */
function birthCode({ dateOfBirth, gender }: Holder): string {
  const month =
    gender === 'Female' ? String(Number(dateOfBirth.slice(5, 7)) + 50) : dateOfBirth.slice(5, 7)
  return `${dateOfBirth.charAt(2)}${month}${dateOfBirth.slice(8)}${dateOfBirth.charAt(3)}`
}

/** Initials of the first two forenames, with 9 for each missing one. */
function initialsCode(firstNames = ''): string {
  const initials = firstNames.split(/\s/).map((name) => foldedLetters(name).charAt(0))
  return initials.join('').slice(0, 2).padEnd(2, '9')
}

/** Letters that Unicode does not decompose into an ASCII letter and an accent. */
const foldings: Record<string, string> = {
  Æ: 'AE',
  Đ: 'D',
  Ð: 'D',
  Ł: 'L',
  Ø: 'O',
  Œ: 'OE',
  Þ: 'TH',
}

/** Only A to Z: without accents, apostrophes, hyphens and spaces. */
function foldedLetters(name: string): string {
  const upper = name.toUpperCase()
  if (/^[A-Z]*$/.test(upper)) return upper

  const folded = upper.replaceAll(/[ÆĐÐŁØŒÞ]/g, (letter) => foldings[letter] ?? '')
  return folded.normalize('NFD').replaceAll(/[^A-Z]/g, '')
}
