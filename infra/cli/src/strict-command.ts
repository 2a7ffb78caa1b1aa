import { Command, type ParseOptionsResult } from 'commander'

/** Refuses an option that a command does not know before it asks for one that is missing. */
export class StrictCommand extends Command {
  override createCommand(name?: string): Command {
    return new StrictCommand(name)
  }

  override parseOptions(commandLine: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(commandLine)
    const unknown = parsed.unknown.find((text) => text.startsWith('-'))
    const asksForHelp = parsed.unknown.some((text) => text === '--help' || text === '-h')
    const isLeaf = this.parent !== null && this.commands.length === 0
    if (isLeaf && unknown !== undefined && !asksForHelp) {
      ;(this as unknown as { unknownOption(flag: string): never }).unknownOption(unknown)
    }
    return parsed
  }
}
