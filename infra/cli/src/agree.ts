import { ask } from './ask.ts'
import type { Told } from './program.ts'
import type { Surroundings } from './surroundings.ts'

export type Agreement = {
  /** The planned action and its consequences. */
  told: Told
  /** For example `Send them again?`. */
  question: string
  /** Printed if nobody agrees, for example `nothing is sent`. */
  otherwise: string
}

/**
 * Shows what is about to happen and asks for agreement. Without agreement returns the result that ends the command:
 * exit code 2 if nobody can be asked, 1 if the answer is no.
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
