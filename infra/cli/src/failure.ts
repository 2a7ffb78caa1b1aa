import { CommanderError } from 'commander'

type FailureOptions = { exitCode: 1 | 2 | 130; cause?: unknown; titles?: readonly string[] }

/** Something that ends a command, said in a way that tells what to do. */
export class Failure extends Error {
  /** 1: it was refused or could not be done. 2: the command was given wrongly. 130: it was interrupted. */
  readonly exitCode: 1 | 2 | 130
  /** What an answer that refuses is about, such as the fields of the request. */
  readonly titles: readonly string[]

  constructor(message: string, { exitCode, cause, titles = [] }: FailureOptions) {
    super(message, { cause })
    this.name = 'Failure'
    this.exitCode = exitCode
    this.titles = titles
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
