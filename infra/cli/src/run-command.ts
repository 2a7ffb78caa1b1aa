import type { CommandContext } from './command-context.ts'
import { exitCodeOf, explain, explainAsJson } from './failure.ts'
import { createProgram } from './program.ts'

/**
 * Runs a command line, given without the program's name. Returns the exit code. Prints errors on standard error and
 * never throws.
 */
export async function runCommand(
  commandLine: readonly string[],
  context: Omit<CommandContext, 'endWith'>,
): Promise<number> {
  let exitCode = 0
  const isJson = commandLine.includes('--json')
  const endWith = (code: number) => {
    exitCode = code
  }
  try {
    const program = await createProgram({ ...context, endWith }, { isJson, commandLine })
    await program.parseAsync(commandLine, { from: 'user' })
    return exitCode
  } catch (error) {
    const explanation = isJson ? explainAsJson(error) : explain(error)
    if (explanation) context.note(explanation)
    return exitCodeOf(error)
  }
}
