import type { CommandContext } from './command-context.ts'
import { wrongUsage } from './failure.ts'

export type Question = {
  /** The value to ask for, for example `Name of the organisation`. */
  message: string
  /** The option that gives it instead, for example `--name`. */
  instead: string
  isSecret?: boolean
}

/** Asks for a required value that was not given. Throws if nobody can answer. */
export async function ask(
  { canAsk }: Pick<CommandContext, 'canAsk'>,
  { message, instead, isSecret = false }: Question,
): Promise<string> {
  if (!canAsk) throw wrongUsage(`${message} is missing: give ${instead}`)
  // Standard output is for the result of the command.
  const context = { output: process.stderr }
  const validate = (value: string) => value !== '' || 'Needed'
  if (!isSecret) {
    const { default: input } = await import('@inquirer/input')
    return input({ message, validate }, context)
  }
  const { default: password } = await import('@inquirer/password')
  return password({ message, mask: true, validate }, context)
}
