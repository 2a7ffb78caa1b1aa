/** What a command may use of the process that it runs in. */
export type Surroundings = {
  environment: Readonly<Record<string, string | undefined>>
  /** The top of the tree, which relative places start from, as they do for `npm start`. */
  root: string
  /** True when somebody sits at a terminal who can be asked. */
  canAsk: boolean
  /** Writes to standard output: what the command has to say. */
  print(text: string): void
  /** Writes to standard error. */
  note(text: string): void
}
