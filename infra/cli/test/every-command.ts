import type { Command } from 'commander'
import { wordsOf } from './a-command-line.ts'

/** Returns a command and all below it. */
export function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

/** Returns the words of an example after the program's name, without quotes and redirections. */
export function wordsOfExample(line: string): string[] {
  return wordsOf(line.replace(/ < \S+$/, '')).slice(2)
}
