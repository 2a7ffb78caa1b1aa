import { InvalidArgumentError } from 'commander'

/** How many rows may be rejected, as a number or a percentage. */
export type RejectsMax = { rows: number } | { percent: number }

export const rejectsMaxDefault: RejectsMax = { percent: 1 }

/** Parses `20` or `0.5%`. Throws an InvalidArgumentError, which the parser reports as wrong usage. */
export function parseRejectsMax(text: string): RejectsMax {
  if (/^\d{1,12}$/.test(text)) return { rows: Number(text) }
  const percent = /^(\d{1,3}(?:\.\d{1,4})?)%$/.exec(text)?.[1]
  if (percent !== undefined && Number(percent) <= 100) return { percent: Number(percent) }
  throw new InvalidArgumentError('It must be a number of rows, or a percentage such as 0.5%.')
}

export function isTooMany(rejectsMax: RejectsMax, rejected: number, read: number): boolean {
  if ('rows' in rejectsMax) return rejected > rejectsMax.rows
  return rejected * 100 > rejectsMax.percent * read
}

export function renderRejectsMax(rejectsMax: RejectsMax): string {
  return 'rows' in rejectsMax ? String(rejectsMax.rows) : `${rejectsMax.percent}%`
}
