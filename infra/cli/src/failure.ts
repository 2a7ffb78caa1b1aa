import { CommanderError } from 'commander'

type FailureOptions = {
  exitCode: 1 | 2 | 130
  cause?: unknown
  status?: number
  titles?: readonly string[]
}

/** An error that ends a command, with a message that says what to do. */
export class Failure extends Error {
  /** 1: refused or not possible. 2: wrong usage. 130: interrupted. */
  readonly exitCode: 1 | 2 | 130
  /** The HTTP status of a refusal. Undefined: there was no response. */
  readonly status: number | undefined
  /** Titles of the errors in a refusal, such as the fields of the request. */
  readonly titles: readonly string[]

  constructor(message: string, { exitCode, cause, status, titles = [] }: FailureOptions) {
    super(message, { cause })
    this.name = 'Failure'
    this.exitCode = exitCode
    this.status = status
    this.titles = titles
  }
}

export function wrongUsage(message: string): Failure {
  return new Failure(message, { exitCode: 2 })
}

/** Returns the JSON document of an error. `exitCode` is the exit code of the command. */
export function failureDocument(detail: string, exitCode: number): string {
  return JSON.stringify({ detail, exitCode })
}

/** Returns the JSON document of an error; undefined for help, the version and Ctrl-C at a question. */
export function explainAsJson(error: unknown): string | undefined {
  const exitCode = exitCodeOf(error)
  if (exitCode === 0 || hasLeftPrompt(error)) return undefined
  const isHelp = error instanceof CommanderError && error.code === 'commander.help'
  const said = error instanceof Error ? error.message : String(error)
  const detail = isHelp ? 'a command is missing; see --help' : said
  return failureDocument(detail.replace(/^error: /, ''), exitCode)
}

/** Returns what still has to be printed on standard error. The parser has already printed its own errors. */
export function explain(error: unknown): string {
  if (error instanceof CommanderError || hasLeftPrompt(error)) return ''
  if (error instanceof Failure) return `despatch: ${error.message}`
  return `despatch: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (hasLeftPrompt(error)) return 130
  return error instanceof Failure ? error.exitCode : 1
}

/** Returns true for Ctrl-C at a question. */
function hasLeftPrompt(error: unknown): boolean {
  return error instanceof Error && error.name === 'ExitPromptError'
}
