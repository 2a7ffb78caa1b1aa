import { exitCodeOf, explain } from './failure.ts'
import { createProgram } from './program.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Does what a command line says, without its program's name. Gives how the process is to end: what goes wrong is told on
 * standard error, and nothing is thrown.
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
