import type { Command } from 'commander'
import { ask } from './ask.ts'
import type { CommandContext } from './command-context.ts'
import type { CommandOutput } from './program.ts'

export type Agreement = {
  /** `--yes` was given: nobody is asked. */
  yes?: true | undefined
  /** Returns the planned action and its consequences, with the exact count. */
  describe: () => CommandOutput | Promise<CommandOutput>
  /** For example `Send them again?`. */
  question: string
  /** Printed if nobody agrees, for example `nothing is sent`. */
  otherwise: string
}

/** Adds `--yes` to a command that asks for agreement, and the help about it. */
export function addYesOption(command: Command): Command {
  return command
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', helpAboutAgreeing)
}

const helpAboutAgreeing = `
The command asks for confirmation. Without a terminal it requires --yes; otherwise it does nothing and exits with 2.`

/**
 * Shows what is about to happen and asks for agreement. Without agreement returns the result that ends the command:
 * exit code 2 if nobody can be asked, 1 if the answer is no. `askFor` asks at the terminal.
 */
export async function refuseUnlessAgreed(
  { yes, describe, question, otherwise }: Agreement,
  context: Pick<CommandContext, 'canAsk' | 'note'>,
  askFor: typeof ask = ask,
): Promise<CommandOutput | undefined> {
  if (yes) return undefined
  const { canAsk, note } = context
  const output = await describe()
  if (!canAsk) {
    const refusal = `${otherwise}: there is no terminal to confirm it, so give --yes`
    return { ...output, exitCode: 2, refusal }
  }
  note(output.text)
  const answer = await askFor(context, {
    message: `${question} (yes or no)`,
    instead: '--yes',
  })
  if (['y', 'yes'].includes(answer.trim().toLowerCase())) return undefined
  // its text is on the terminal already
  return { ...output, text: '', exitCode: 1, refusal: otherwise }
}
