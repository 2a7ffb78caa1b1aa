import { wrongUsage } from './failure.ts'
import type { Surroundings } from './surroundings.ts'

export type Question = {
  /** What is asked for, as in `Name of the organisation`. */
  message: string
  /** How else it can be given, as in `--name`. */
  instead: string
  isSecret?: boolean
}

/** Asks for a value that is needed and was not given. Throws when nobody is there to answer. */
export async function ask(
  { canAsk }: Pick<Surroundings, 'canAsk'>,
  { message, instead, isSecret = false }: Question,
): Promise<string> {
  if (!canAsk) throw wrongUsage(`${message} is missing: give ${instead}`)
  // standard output is for the answer of the command
  const context = { output: process.stderr }
  const validate = (value: string) => value !== '' || 'Needed'
  if (!isSecret) {
    const { default: input } = await import('@inquirer/input')
    return input({ message, validate }, context)
  }
  const { default: password } = await import('@inquirer/password')
  return password({ message, mask: true, validate }, context)
}
