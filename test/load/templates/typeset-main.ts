import { typeset } from '@despatch/templates/typeset'
import { answerParent } from '../child.ts'
import { openRequests, type TemplateLetter } from './letters.ts'

/** The letters that one process typesets, one after another. */
export type TypesetTask = { letter: TemplateLetter; firstNumber: number; count: number }

/** A bare loop of the compiler. */
answerParent(async ({ letter, firstNumber, count }: TypesetTask) => {
  const requestOf = await openRequests(letter)
  for (let number = firstNumber; number < firstNumber + count; number += 1) {
    const made = typeset(requestOf(number))
    if ('faults' in made || made.pages !== letter.pages) {
      throw new Error(JSON.stringify('faults' in made ? made.faults : `${made.pages} pages`))
    }
  }
  return count
})
