import type { CommandContext } from './command-context.ts'
import { exitCodeOf, explain, explainAsJson } from './failure.ts'
import { layOut } from './lay-out.ts'
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
    const print = (text: string) => context.print(isJson ? text : layOut(text, context.look))
    const note = (text: string) => context.note(layOut(text, context.look))
    const running = { ...context, print, note, endWith }
    const program = await createProgram(running, { isJson, commandLine })
    await program.parseAsync(commandLine, { from: 'user' })
    return exitCode
  } catch (error) {
    const explanation = isJson ? explainAsJson(error) : explain(error)
    if (explanation) context.note(explanation)
    return exitCodeOf(error)
  }
}
