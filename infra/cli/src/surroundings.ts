import type { Writable } from 'node:stream'

/** What a command may use of the process that it runs in. */
export type Surroundings = {
  environment: Readonly<Record<string, string | undefined>>
  /** The top of the tree, which relative places start from, as they do for `npm start`. */
  root: string
  /** True when somebody sits at a terminal who can be asked. */
  canAsk: boolean
  /** Reads a short text from standard input to its end: what does not belong among the arguments. */
  readInput(): Promise<string>
  /** Writes to standard output: what the command has to say. */
  print(text: string): void
  /** Standard output itself, for what is too long to be held. */
  output: Writable
  /** Writes to standard error. */
  note(text: string): void
  /** True when standard error is a terminal, where a line can be drawn again and again. */
  canDraw: boolean
  /** Sets how the process is to end when nothing else goes wrong. */
  endWith(exitCode: number): void
  /** Calls the listener at Ctrl-C, instead of ending the process. Gives what stops listening. */
  onInterrupt(listener: () => void): () => void
}
