import type { Command } from 'commander'

/** A command with what can be written after it. */
export type CommandNode = {
  /** The words that lead to it, as in `consumers list`; empty for the program. */
  path: string
  description: string
  subcommands: { name: string; description: string }[]
  /** `values`: the only ones that it takes, where they are known. */
  options: { flag: string; description: string; takesValue: boolean; values: readonly string[] }[]
}

/** Every command of a program, the program first. Options of the program are valid behind each command too. */
export function listCommands(program: Command): CommandNode[] {
  const inherited = optionsOf(program)
  const walk = (command: Command, path: string): CommandNode[] => {
    const subcommands = command.commands.map((sub) => ({
      name: sub.name(),
      description: sub.description(),
    }))
    const own = command === program ? [] : optionsOf(command)
    const options = [...own, ...inherited, help]
    const node = { path, description: command.description(), subcommands, options }
    const below = command.commands.flatMap((sub) => walk(sub, `${path} ${sub.name()}`.trim()))
    return [node, ...below]
  }
  return walk(program, '')
}

const help = {
  flag: '--help',
  description: 'says what can be given',
  takesValue: false,
  values: [],
}

function optionsOf(command: Command): CommandNode['options'] {
  return command.options.flatMap(({ long, description, required, optional, argChoices = [] }) =>
    long ? [{ flag: long, description, takesValue: required || optional, values: argChoices }] : [],
  )
}

/** The options of all commands whose next word is their value. Which command they are of makes no difference to that. */
export function flagsWithValue(nodes: readonly CommandNode[]): string[] {
  const flags = nodes.flatMap(({ options }) =>
    options.filter(({ takesValue }) => takesValue).map(({ flag }) => flag),
  )
  return [...new Set(flags)].sort()
}

/** The options with known values, each with the command that has it. */
export function optionsWithValues(
  nodes: readonly CommandNode[],
): { path: string; flag: string; values: readonly string[] }[] {
  return nodes.flatMap(({ path, options }) =>
    options
      .filter(({ values }) => values.length > 0)
      .map(({ flag, values }) => ({ path, flag, values })),
  )
}
