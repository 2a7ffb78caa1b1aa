import { wrongUsage } from '../failure.ts'
import type { Parts } from '../program.ts'

/** Adds `help`, which shows the help of a command at any depth, as `--help` after it does. */
export function addCommands({ program }: Parts): void {
  program
    .helpCommand(false)
    .command('help [command...]')
    .description('shows the help of a command')
    .action((path: string[]) => {
      let command = program
      for (const name of path) {
        const below = command.commands.find((each) => each.name() === name)
        if (!below) throw wrongUsage(`there is no command ${path.join(' ')}; see despatch --help`)
        command = below
      }
      command.help()
    })
}
