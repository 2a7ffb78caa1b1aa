import type { PrintableAddress } from './address.ts'
import { cutLine } from './printed-line.ts'

/** The printable address without the recipient. */
export type AddressLines = Omit<PrintableAddress, 'recipientLine1' | 'recipientLine2'>

/** Lines 1 to 5 by position; undefined is an empty line. */
export type FiveLines = readonly [
  line1?: string | undefined,
  line2?: string | undefined,
  line3?: string | undefined,
  line4?: string | undefined,
  line5?: string | undefined,
]

/** Line 1 of an address that has nothing else to print. The interface requires at least one character there. */
const nothingToPrint = '-'

/**
 * Names the lines and cuts each to 45 characters. If line 1 is empty, the first non-empty line moves up into it,
 * because line 1 is required.
 */
export function nameLines(
  lines: FiveLines,
  { postcode, dps = null }: { postcode?: string | undefined; dps?: string | null },
): AddressLines {
  const [line1, line2, line3, line4, line5] = fillFirst(lines).map((line) => line && cutLine(line))
  return {
    line1: line1 ?? nothingToPrint,
    ...(line2 && { line2 }),
    ...(line3 && { line3 }),
    ...(line4 && { line4 }),
    ...(line5 && { line5 }),
    ...(postcode && { postcode }),
    dps,
  }
}

function fillFirst(lines: FiveLines): readonly (string | undefined)[] {
  const first = Math.max(
    lines.findIndex((line) => line),
    0,
  )
  return lines.with(first, undefined).with(0, lines[first])
}
