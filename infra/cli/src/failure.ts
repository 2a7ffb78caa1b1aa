import { CommanderError } from 'commander'

/** Something that ends a command, said in a way that tells what to do. */
export class Failure extends Error {
  /** 1: it was refused or could not be done. 2: the command was given wrongly. 130: it was interrupted. */
  readonly exitCode: 1 | 2 | 130

  constructor(message: string, { exitCode, cause }: { exitCode: 1 | 2 | 130; cause?: unknown }) {
    super(message, { cause })
    this.name = 'Failure'
    this.exitCode = exitCode
  }
}

export function wrongUsage(message: string): Failure {
  return new Failure(message, { exitCode: 2 })
}

/** What is yet to be said on standard error. The command line's parser has said what it found itself. */
export function explain(error: unknown): string {
  if (error instanceof CommanderError || hasLeftPrompt(error)) return ''
  if (error instanceof Failure) return `despatch: ${error.message}`
  return `despatch: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  return error instanceof Failure ? error.exitCode : 1
}

/** Ctrl-C at a question. */
function hasLeftPrompt(error: unknown): boolean {
  return error instanceof Error && error.name === 'ExitPromptError'
}
