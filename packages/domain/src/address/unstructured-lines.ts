import type { UnstructuredAddress } from './address.ts'
import type { AddressLines } from './address-lines.ts'
import { nameUkLines } from './postcode-line.ts'
import { tidyLine } from './printed-line.ts'

/** Returns the lines as submitted, each in its place: a gap before the post town stays a gap. */
export function makeUnstructuredLines(address: UnstructuredAddress): AddressLines {
  const { line1, line2, line3, line4, line5, postcode, dps } = address
  return nameUkLines(
    [tidyLine(line1), tidyLine(line2), tidyLine(line3), tidyLine(line4), tidyLine(line5)],
    { postcode, dps },
  )
}
