import { describe, expect, test } from 'vitest'
import {
  drivingLicenceNumberOf,
  isDrivingLicenceNumber,
  normaliseDrivingLicenceNumber,
} from './driving-licence-number.ts'

const written: [text: string, normal: string][] = [
  ['TCAEU610267NO9EK', 'TCAEU610267NO9EK'],
  ['tcaeu 610267 no9ek', 'TCAEU610267NO9EK'],
  ['\tTCAEU\u00a0610267\u2009NO9EK\r\n', 'TCAEU610267NO9EK'],
  ['ſmith', 'ſMITH'],
  ['ｔｃａｅｕ', 'ｔｃａｅｕ'],
  ['', ''],
]

test.for(written)('%j is written %j in its normal form', ([text, normal]) => {
  expect(normaliseDrivingLicenceNumber(text)).toBe(normal)
})

const numbers: [text: string, valid: boolean, because: string][] = [
  ['TCAEU610267NO9EK', true, 'a number of the public test environment'],
  ['JONES712249IP6VV', true, 'a number of the public test environment'],
  ['BTJMG803070FY9WJ', true, 'a number of the public test environment'],
  ['MORGA657054SM9IJ', true, 'a woman born in July: month 57'],
  ['MORGA651014SM9IJ', true, 'the first month of women'],
  ['MORGA662314SM9IJ', true, 'the last month of women'],
  ['MORGA663014SM9IJ', false, 'no month 63'],
  ['MORGA650014SM9IJ', false, 'no month 50'],
  ['MORGA613014SM9IJ', false, 'no month 13'],
  ['MORGA600014SM9IJ', false, 'no month 00'],
  ['MORGA621014SM9IJ', false, 'no month 21'],
  ['MORGA602304SM9IJ', true, 'the pattern does not look at the length of a month'],
  ['MORGA601004SM9IJ', false, 'no day 00'],
  ['MORGA601324SM9IJ', false, 'no day 32'],
  ['LEE99610267N99EK', true, 'a short name and one initial'],
  ['O9999610267999EK', true, 'one letter and no initial'],
  ['99999610267NO9EK', false, 'a name has a letter'],
  ['LE9E9610267NO9EK', false, 'letters stand before the nines'],
  ['TCAEU6102679O9EK', false, 'a second initial without a first'],
  ['TCAEU610267NO2EK', true, 'another like the first'],
  ['TCAEU610267NOAEK', true, 'a letter at 14'],
  ['TCAEU610267NOXEK', true, 'a letter at 14'],
  ['TCAEU610267NO0EK', false, 'not allowed at 14'],
  ['TCAEU610267NO1EK', false, 'not allowed at 14'],
  ['TCAEU610267NOIEK', false, 'not allowed at 14'],
  ['TCAEU610267NOOEK', false, 'not allowed at 14'],
  ['TCAEU610267NOQEK', false, 'not allowed at 14'],
  ['TCAEU610267NOYEK', false, 'not allowed at 14'],
  ['TCAEU610267NOZEK', false, 'not allowed at 14'],
  ['TCAEU610267NO_EK', false, 'not allowed at 14'],
  ['TCAEU610267NO9E1', false, 'check letters are letters'],
  ['TCAEU610267NO9E', false, '15 characters'],
  ['TCAEU610267NO9EK1', false, 'the issue number is no part of it'],
  ['1TCAEU610267NO9EK', false, 'more than the number'],
  ['TCAEU9610267NO9EK', false, 'a name of five letters has no nines'],
  ['LEE610267NO9EKAB', false, 'a short name has nines'],
  ['TCAEU610267NO9EK\n', false, 'more than the number'],
  ['TCAEU61O267NO9EK', false, 'the letter O for a nought'],
  ['TCAEU6I0267NO9EK', false, 'the letter I for a one'],
  ['ТCAEU610267NO9EK', false, 'a Cyrillic letter'],
  ['ＴCAEU610267NO9EK', false, 'a full-width letter'],
  ['TCAEU６10267NO9EK', false, 'a full-width digit'],
  ['TCAEU٦10267NO9EK', false, 'an Arabic digit'],
  ['tcaeu610267no9ek', false, 'not in its normal form'],
  ['12345678', false, 'Northern Ireland'],
  ['', false, 'empty'],
]

test.for(numbers)('%j is a driving licence number: %j (%s)', ([text, valid]) => {
  expect(isDrivingLicenceNumber(text)).toBe(valid)
})

type Person = {
  lastName: string
  firstNames?: string
  dateOfBirth: string
  gender: 'Male' | 'Female'
}

const aPerson: Person = {
  lastName: 'Morgan',
  firstNames: 'Sarah Meredyth',
  dateOfBirth: '1965-07-05',
  gender: 'Female',
}

const holders: [change: Partial<Person>, number: string][] = [
  [{}, 'MORGA657055SM9AB'],
  [{ gender: 'Male' }, 'MORGA607055SM9AB'],
  [{ lastName: 'Li' }, 'LI999657055SM9AB'],
  [{ lastName: 'MacDonald' }, 'MCDON657055SM9AB'],
  [{ lastName: 'McDonald' }, 'MCDON657055SM9AB'],
  [{ lastName: 'Tomaczek' }, 'TOMAC657055SM9AB'],
  [{ lastName: "O'Brien" }, 'OBRIE657055SM9AB'],
  [{ lastName: 'O’Brien' }, 'OBRIE657055SM9AB'],
  [{ lastName: 'Núñez' }, 'NUNEZ657055SM9AB'],
  [{ lastName: 'Łukasik' }, 'LUKAS657055SM9AB'],
  [{ lastName: 'Sørensen' }, 'SOREN657055SM9AB'],
  [{ lastName: 'Groß' }, 'GROSS657055SM9AB'],
  [{ lastName: 'Lee-Smith' }, 'LEESM657055SM9AB'],
  [{ lastName: 'de la Mare' }, 'DELAM657055SM9AB'],
  [{ firstNames: 'Sarah' }, 'MORGA657055S99AB'],
  [{ firstNames: 'Sarah Meredyth Jane' }, 'MORGA657055SM9AB'],
  [{ firstNames: '  sarah   élodie ' }, 'MORGA657055SE9AB'],
  [{ firstNames: 'Mary-Jane' }, 'MORGA657055M99AB'],
  [{ firstNames: '' }, 'MORGA657055999AB'],
  [{ dateOfBirth: '2000-12-31' }, 'MORGA062310SM9AB'],
]

test.for(holders)('a person with %j has the number %s', ([change, number]) => {
  const person = { ...aPerson, ...change }

  expect(drivingLicenceNumberOf(person, { fourteenth: '9', checkLetters: 'AB' })).toBe(number)
  expect(isDrivingLicenceNumber(number)).toBe(true)
})

test('a driver without a first name has no initials', () => {
  const { firstNames: _, ...nameless } = aPerson

  const number = drivingLicenceNumberOf(nameless, { fourteenth: '8', checkLetters: 'ZZ' })

  expect(number).toBe('MORGA657055998ZZ')
})

describe('a licence number is not made', () => {
  const parts = { fourteenth: '9', checkLetters: 'AB' }

  test('from a last name without a Latin letter', () => {
    expect(() => drivingLicenceNumberOf({ ...aPerson, lastName: '李' }, parts)).toThrow('lastName')
  })

  test.for(['05/07/1965', '11965-07-05', '1965-07-05T00:00'])(
    'from a date of birth in another form: %s',
    (dateOfBirth) => {
      const person = { ...aPerson, dateOfBirth }
      expect(() => drivingLicenceNumberOf(person, parts)).toThrow('dateOfBirth')
    },
  )
})
