import type { Gender } from '@despatch/domain/driver/values'
import { anniversary, type Day } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { createShuffle } from '../chance/shuffle.ts'

/**
 * Birth, gender and the end of the driving licence number. The combination is unique in a set, so numbers are unique
 * without a list of them.
 */
export type IdentitySlot = {
  birth: Day
  gender: Gender
  fourteenth: string
  checkLetters: string
}

/** Percentage of people who hold a licence, by age range (upper age exclusive). */
const holders: [fromAge: number, toAge: number, percent: number][] = [
  [16, 17, 12],
  [17, 18, 45],
  [18, 20, 72],
  [20, 25, 88],
  [25, 65, 100],
  [65, 75, 86],
  [75, 80, 66],
  [80, 85, 46],
  [85, 90, 22],
  [90, 95, 7],
  [95, 96, 3],
]

const checkLetterPairs = 26 * 26
/** Has no common factor with the number of pairs, so that the steps reach each of them once. */
const pairStep = 375

/**
 * Character 14 is a 9 with few exceptions. Once every slot is used, the slots are reused with the next of these
 * characters.
 */
const furtherFourteenths = '6543ABCDEFGHJKLMNPRSTUVWX'

type Band = { firstSlot: number; firstBirth: Day; slotsPerGender: number; slots: number }

/**
 * Returns the function from an index to the slot of a driver: ages from 16 to 95 as of `today`, in random order. It
 * throws for an index beyond the more than 500 million slots.
 */
export function createIdentitySlots(seed: number, today: Day) {
  const bands: Band[] = []
  let slotCount = 0
  for (const [fromAge, toAge, percent] of holders) {
    const firstBirth = anniversary(today, -toAge) + 1
    const births = anniversary(today, -fromAge) - firstBirth + 1
    const slotsPerGender = Math.round((checkLetterPairs * percent) / 100)
    const slots = births * 2 * slotsPerGender
    bands.push({ firstSlot: slotCount, firstBirth, slotsPerGender, slots })
    slotCount += slots
  }
  const shuffle = createShuffle(slotCount, seed)

  return (index: number, random: Random): IdentitySlot => {
    const round = Math.floor(index / slotCount)
    if (round > furtherFourteenths.length) throw new Error(`no number is left for driver ${index}`)

    const slot = shuffle(index % slotCount)
    const band = bands.find(({ firstSlot, slots }) => slot < firstSlot + slots) as Band
    const inBand = slot - band.firstSlot
    const inBirth = inBand % (band.slotsPerGender * 2)
    const birth = band.firstBirth + (inBand - inBirth) / (band.slotsPerGender * 2)
    const pair =
      ((inBirth % band.slotsPerGender) * pairStep + (birth + 100_000) * 97) % checkLetterPairs
    const usual = random.unit()
    return {
      birth,
      gender: inBirth < band.slotsPerGender ? 'Male' : 'Female',
      fourteenth:
        round > 0
          ? furtherFourteenths.charAt(round - 1)
          : usual < 0.94
            ? '9'
            : usual < 0.99
              ? '8'
              : '7',
      checkLetters: String.fromCharCode(65 + Math.floor(pair / 26), 65 + (pair % 26)),
    }
  }
}
