import type { FindingResponse } from '@despatch/contracts/print-request/finding'

type Amount = number | readonly number[]

/**
 * Returns a finding as one line: its rule, its page, the measured and the allowed value. If nothing was measured, its
 * sentence.
 */
export function describeFinding(finding: FindingResponse): string {
  const { rule, number = rule, severity, page, measured, allowed, detail } = finding
  const place = page === undefined ? '' : ` page ${page}`
  const note = severity === 'note' ? ' (a note)' : ''
  const says =
    measured && allowed
      ? `${write(measured.value)} ${measured.unit}, allowed ${range(allowed)}`
      : detail
  return `${number}${place}${note}: ${says}`
}

function range({ unit, min, max }: NonNullable<FindingResponse['allowed']>): string {
  const limits = [
    min === undefined ? 'up to' : write(min),
    ...(min !== undefined && max !== undefined ? ['to'] : []),
    max === undefined ? 'or more' : write(max),
  ]
  return `${limits.join(' ')} ${unit}`
}

function write(amount: Amount): string {
  return typeof amount === 'number' ? String(amount) : amount.join(' × ')
}
