import { exitCodeOf, explain } from './failure.ts'
import { createProgram } from './program.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Runs a command line, given without the program's name. Returns the exit code. Prints errors on standard error and
 * never throws.
 */
export async function runCommand(
  commandLine: readonly string[],
  surroundings: Omit<Surroundings, 'endWith'>,
): Promise<number> {
  let exitCode = 0
  const program = createProgram({
    ...surroundings,
    endWith: (code) => {
      exitCode = code
    },
  })
  try {
    await program.parseAsync(commandLine, { from: 'user' })
    return exitCode
  } catch (error) {
    const explanation = explain(error)
    if (explanation) surroundings.note(explanation)
    return exitCodeOf(error)
  }
}
