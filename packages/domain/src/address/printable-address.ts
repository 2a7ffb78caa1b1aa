import { wrapRecipientName } from '../print-job/recipient-name.ts'
import type { Address, PrintableAddress } from './address.ts'
import type { AddressLines } from './address-lines.ts'
import { makeBfpoLines } from './bfpo-lines.ts'
import { makeInternationalLines } from './international-lines.ts'
import { makeStructuredLines } from './structured-lines.ts'
import { makeUnstructuredLines } from './unstructured-lines.ts'

/**
 * Returns the print-ready address of a letter. Line 5 is the destination, if it is known: post town, BFPO number or
 * country. Every line has at most 45 characters, the postcode at most 8. Never throws: an address of blanks only has
 * the line `-`.
 */
export function makePrintableAddress({
  recipientName,
  address,
}: {
  recipientName: string
  address: Address
}): PrintableAddress {
  return { ...linesOf(address, recipientName), ...wrapRecipientName(recipientName) }
}

function linesOf(address: Address, recipientName: string): AddressLines {
  if ('structuredAddress' in address) return makeStructuredLines(address.structuredAddress)
  if ('unstructuredAddress' in address) return makeUnstructuredLines(address.unstructuredAddress)
  if ('bfpoAddress' in address) return makeBfpoLines(address.bfpoAddress, recipientName)
  return makeInternationalLines(address.internationalAddress)
}
