import { ask } from './ask.ts'
import type { Told } from './program.ts'
import type { Surroundings } from './surroundings.ts'

export type Agreement = {
  /** What is about to be done, and what follows from it. */
  told: Told
  /** As in `Send them again?`. */
  question: string
  /** What is said when nobody agrees, as in `nothing is sent`. */
  otherwise: string
}

/**
 * Tells somebody what is about to be done and has it agreed to. Gives what ends the command when it is not: with 2 where nobody
 * can be asked, with 1 when somebody says no.
 */
export async function refuseUnlessAgreed(
  { told, question, otherwise }: Agreement,
  surroundings: Surroundings,
): Promise<Told | undefined> {
  const { canAsk, note } = surroundings
  if (!canAsk) {
    note(`despatch: ${otherwise}: give --yes`)
    return { ...told, exitCode: 2 }
  }
  note(told.text)
  const answer = await ask(surroundings, {
    message: `${question} (yes or no)`,
    instead: '--yes',
  })
  if (['y', 'yes'].includes(answer.trim().toLowerCase())) return undefined
  note(`despatch: ${otherwise}`)
  return { ...told, exitCode: 1 }
}
