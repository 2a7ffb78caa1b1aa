import { InvalidArgumentError } from 'commander'

/** For an option that can be repeated: each use adds a value. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/** Throws what the command line's parser tells as wrong usage. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
