import type { Writable } from 'node:stream'
import type { Look } from './lay-out.ts'

/** The parts of the process that a command may use. */
export type CommandContext = {
  environment: Readonly<Record<string, string | undefined>>
  /** The root of the tree. Relative paths start here, as with `npm start`. */
  root: string
  /** True if a user at a terminal can be asked. */
  canAsk: boolean
  /** Reads a short text from standard input, for values that must not be arguments. */
  readInput(): Promise<string>
  /** Writes the result of the command to standard output. */
  print(text: string): void
  /** Standard output itself, for results that are too long for memory. */
  output: Writable
  /** Undefined unless standard output is a terminal with colours. */
  look: Look | undefined
  /** Writes to standard error. */
  note(text: string): void
  /** True if standard error is a terminal, where a line can be redrawn. */
  canDraw: boolean
  /** Sets the exit code of the process unless an error occurs. */
  endWith(exitCode: number): void
  /** Calls the listener on Ctrl-C instead of ending the process. Returns a function that removes the listener. */
  onInterrupt(listener: () => void): () => void
}
