import type { Command } from 'commander'

/** Returns a command and all below it. */
export function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

/** Returns the words of an example after the program's name, without quotes and redirections. */
export function wordsOf(line: string): string[] {
  const words = line.replace(/ < \S+$/, '').match(/"[^"]*"|\S+/g) ?? []
  return words.slice(2).map((word) => word.replaceAll('"', ''))
}
