import { ask } from './ask.ts'
import type { CommandContext } from './command-context.ts'
import type { CommandOutput } from './program.ts'

export type Agreement = {
  /** The planned action and its consequences. */
  output: CommandOutput
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
  { output, question, otherwise }: Agreement,
  context: CommandContext,
): Promise<CommandOutput | undefined> {
  const { canAsk, note } = context
  if (!canAsk) {
    note(`despatch: ${otherwise}: give --yes`)
    return { ...output, exitCode: 2 }
  }
  note(output.text)
  const answer = await ask(context, {
    message: `${question} (yes or no)`,
    instead: '--yes',
  })
  if (['y', 'yes'].includes(answer.trim().toLowerCase())) return undefined
  note(`despatch: ${otherwise}`)
  return { ...output, exitCode: 1 }
}
