import { nearName } from '@despatch/domain/json/near-name'
import { InvalidArgumentError, Option } from 'commander'

const pageSizeMax = 100

/** Parser of a repeatable option: each use adds a value. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/**
 * Returns an option with a fixed set of values, which its help lists and shells complete. Any other value is wrong
 * usage.
 */
export function oneOf(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((value) => choose(value, values))
}

/** Returns the same for a repeatable option. */
export function someOf(flags: string, description: string, values: readonly string[]): Option {
  return oneOf(flags, description, values).argParser((value, before: string[] | undefined) =>
    collect(choose(value, values), before),
  )
}

/** Returns an option, whose parser throws an InvalidArgumentError. */
export function option(
  flags: string,
  description: string,
  parse?: (value: string, before: never) => unknown,
): Option {
  const made = new Option(flags, description)
  return parse ? made.argParser(parse as (value: string) => unknown) : made
}

/** Returns an option that the command requires. */
export function needed(...given: Parameters<typeof option>): Option {
  return option(...given).makeOptionMandatory()
}

function choose(value: string, values: readonly string[]): string {
  if (values.includes(value)) return value
  const meant = nearName(value, values)
  const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new InvalidArgumentError(`Allowed choices are ${values.join(', ')}.${suggestion}`)
}

/** Parses a whole number. Throws an InvalidArgumentError, which the parser reports as wrong usage. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Parses a whole number of at least 1. Throws an InvalidArgumentError, which the parser reports as wrong usage. */
export function parseNumberFrom1(text: string): number {
  const number = parseWholeNumber(text)
  if (number < 1) throw new InvalidArgumentError('It must be at least 1.')
  return number
}

/** Parses a percentage without its sign. Throws an InvalidArgumentError, which the parser reports as wrong usage. */
export function parsePercent(text: string): number {
  const percent = parseWholeNumber(text)
  if (percent > 100) throw new InvalidArgumentError('It must be from 0 to 100.')
  return percent
}

/** Parses a day as YYYY-MM-DD. Throws an InvalidArgumentError, which the parser reports as wrong usage. */
export function parseDay(text: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return text
  throw new InvalidArgumentError('It must be a date that exists, as YYYY-MM-DD.')
}

/**
 * Parses a date and time with its time zone. Throws an InvalidArgumentError, which the parser reports as wrong usage.
 */
export function parseMoment(text: string): string {
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(text)
  if (isMoment && !Number.isNaN(Date.parse(text))) return text
  throw new InvalidArgumentError(
    'It must be a date and time with a time zone, such as 2026-01-31T09:00:00Z.',
  )
}

/**
 * Parses the size of a page and returns it as text for the query. Throws an InvalidArgumentError, which the parser
 * reports as wrong usage.
 */
export function parsePageSize(text: string): string {
  const number = parseNumberFrom1(text)
  if (number > pageSizeMax) throw new InvalidArgumentError(`It must be at most ${pageSizeMax}.`)
  return String(number)
}

/** Returns the options that page through a list. */
export function pageOptions(): Option[] {
  return [
    option('--limit <number>', 'number of entries to list, at most 100', parsePageSize).default(
      '50',
    ),
    option('--cursor <cursor>', 'cursor of the next page, from the previous response'),
  ]
}

/** Returns the query of the given members. */
export function queryOf(members: Readonly<Record<string, unknown>>): URLSearchParams {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
}
