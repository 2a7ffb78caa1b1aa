import type { Command } from 'commander'

/** A command with everything that may follow it. */
export type CommandNode = {
  /** The words of the command, for example `consumers list`. Empty for the program. */
  path: string
  description: string
  subcommands: { name: string; description: string }[]
  /** `values` lists the only values that an option takes, if they are fixed. */
  options: { flag: string; description: string; takesValue: boolean; values: readonly string[] }[]
}

/** Returns every command of a program, the program first. Options of the program are also valid after each command. */
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

/** Returns the options of all commands that take a value, whichever command they belong to. */
export function flagsWithValue(nodes: readonly CommandNode[]): string[] {
  const flags = nodes.flatMap(({ options }) =>
    options.filter(({ takesValue }) => takesValue).map(({ flag }) => flag),
  )
  return [...new Set(flags)].sort()
}

/** Returns the options with fixed values, each with its command. */
export function optionsWithValues(
  nodes: readonly CommandNode[],
): { path: string; flag: string; values: readonly string[] }[] {
  return nodes.flatMap(({ path, options }) =>
    options
      .filter(({ values }) => values.length > 0)
      .map(({ flag, values }) => ({ path, flag, values })),
  )
}
