import type { StructuredAddress } from './address.ts'
import type { AddressLines } from './address-lines.ts'
import { makePafElements } from './paf-elements.ts'
import { fitElements } from './paf-overflow.ts'
import { nameUkLines } from './postcode-line.ts'
import { tidyLine } from './printed-line.ts'

/**
 * Returns the lines of a structured address, by Royal Mail's rules for printing a postal address file record, in
 * capitals. The post town is always line 5, even if lines 2 to 4 are empty; if there is nothing else to print, it is
 * line 1. Elements that do not fit on four lines are joined, then dropped, in the order of `fitElements`. The country
 * is not printed.
 */
export function makeStructuredLines(address: StructuredAddress): AddressLines {
  const { town, elements } = makePafElements(address)
  const [line1, line2, line3, line4] = fitElements(elements)
  return nameUkLines([line1, line2, line3, line4, town], {
    postcode: tidyLine(address.postcode)?.toUpperCase(),
    dps: address.dps,
  })
}
