import { expect, test } from 'vitest'
import { ageAt, parseDay } from '../calendar.ts'
import { createRandom } from '../chance/random.ts'
import { createIdentitySlots } from './identity-slots.ts'

const today = parseDay('2026-11-20', 'today')
const random = createRandom(1)
const slotOf = createIdentitySlots(1, today)
const slotAt = (index: number) => slotOf(index, random.at(index))

test('slots differ within a round and from one round to the next', () => {
  const starts = [0, 20_000_000, 60_000_000, 120_000_000, 400_000_000]
  const keys = new Set<string>()

  for (const start of starts) {
    for (let index = start; index < start + 20_000; index++) {
      const { birth, gender, fourteenth, checkLetters } = slotAt(index)
      keys.add(`${birth}${gender}${fourteenth}${checkLetters}`)
    }
  }

  expect(keys.size).toBe(100_000)
})

test('ages are from 16 to 95, old ages rare and genders even', () => {
  const slots = Array.from({ length: 50_000 }, (_, index) => slotAt(index))
  const ages = slots.map(({ birth }) => ageAt(birth, today))
  const share = (from: number, to: number) =>
    ages.filter((age) => age >= from && age < to).length / ages.length

  expect([Math.min(...ages), Math.max(...ages)]).toEqual([16, 95])
  expect(share(25, 65)).toBeGreaterThan(0.55)
  expect(share(85, 96)).toBeLessThan(0.04)
  const women = slots.filter(({ gender }) => gender === 'Female').length / slots.length
  expect(Math.abs(women - 0.5)).toBeLessThan(0.02)
})

test('character 14 is a 9 for most drivers', () => {
  const nines = Array.from({ length: 10_000 }, (_, index) => slotAt(index)).filter(
    ({ fourteenth }) => fourteenth === '9',
  )

  expect(nines.length).toBeGreaterThan(9000)
  expect(nines.length).toBeLessThan(10_000)
})

test('refuses an index when every number is given out', () => {
  expect(() => slotAt(2_000_000_000)).toThrow('no number is left for driver 2000000000')
})
