import { type Command, InvalidArgumentError, Option } from 'commander'

const pageSizeMax = 100

/** For an option that can be repeated: each use adds a value. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/** An option with one of these values, which its help names and shells complete. Another is wrong usage. */
export function oneOf(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values)
}

/** The same for an option that can be repeated. Another value is for Despatch to refuse, with whatever else is wrong. */
export function someOf(flags: string, description: string, values: readonly string[]): Option {
  return oneOf(flags, description, values).argParser(collect)
}

/** Throws what the command line's parser tells as wrong usage. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** A whole number that is not 0. Throws what the command line's parser tells as wrong usage. */
export function parseNumberFrom1(text: string): number {
  const number = parseWholeNumber(text)
  if (number < 1) throw new InvalidArgumentError('It must be at least 1.')
  return number
}

/** A percentage without its sign. Throws what the command line's parser tells as wrong usage. */
export function parsePercent(text: string): number {
  const percent = parseWholeNumber(text)
  if (percent > 100) throw new InvalidArgumentError('It must be from 0 to 100.')
  return percent
}

/** A day as YYYY-MM-DD. Throws what the command line's parser tells as wrong usage. */
export function parseDay(text: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return text
  throw new InvalidArgumentError('It must be a date that exists, as YYYY-MM-DD.')
}

/** A moment with its time zone. Throws what the command line's parser tells as wrong usage. */
export function parseMoment(text: string): string {
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(text)
  if (isMoment && !Number.isNaN(Date.parse(text))) return text
  throw new InvalidArgumentError(
    'It must be a date and time with a time zone, such as 2026-01-31T09:00:00Z.',
  )
}

/** How many to list of a page, as it is sent. Throws what the command line's parser tells as wrong usage. */
export function parsePageSize(text: string): string {
  const number = parseNumberFrom1(text)
  if (number > pageSizeMax) throw new InvalidArgumentError(`It must be at most ${pageSizeMax}.`)
  return String(number)
}

export type PageOptions = { limit: string; cursor?: string }

/** Lets a command that lists be asked for one page after the other. */
export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <number>', 'how many to list, at most 100', parsePageSize, '50')
    .option('--cursor <cursor>', 'where the page before ended')
}

/** The query of what is given. */
export function queryOf(options: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const given = Object.entries(options).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return new URLSearchParams(given)
}
