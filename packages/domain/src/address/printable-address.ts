import type { Finding } from '../preflight/finding.ts'
import type { DespatchMethod } from '../print-job/params.ts'
import { wrapRecipientName } from '../print-job/recipient-name.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'
import { findAbroad, producedMethodOf } from './abroad.ts'
import type {
  Address,
  PrintableAddress,
  StructuredAddress,
  UnstructuredAddress,
} from './address.ts'
import { findAddressFindings } from './address-findings.ts'
import type { AddressLines } from './address-lines.ts'
import type { Addressee } from './addressee.ts'
import { makeBfpoLines } from './bfpo-lines.ts'
import { makeInternationalLines } from './international-lines.ts'
import { makePafElements } from './paf-elements.ts'
import { fitElements } from './paf-overflow.ts'
import { nameUkLines } from './postcode-line.ts'
import { tidyLine } from './printed-line.ts'

/** How an addressee is printed and the letter posted, and what a person should know about it: notes only. */
export type PrintedAddressee = {
  printableAddress: PrintableAddress
  addressFindings: readonly Finding[]
  /** About its country and its class, which hold for a letter that is printed as supplied too. */
  postFindings: readonly Finding[]
  /** The method by which the letter is produced. */
  producedAs: PrintRunDespatchMethod
}

/**
 * Returns how an addressee is printed, with what is left out, cut or probably wrong, and how a letter with this
 * despatch method is posted.
 */
export function printAddressee(
  addressee: Addressee,
  despatchMethod?: DespatchMethod,
): PrintedAddressee {
  const printableAddress = makePrintableAddress(addressee)
  return {
    printableAddress,
    addressFindings: findAddressFindings(addressee, printableAddress),
    postFindings: findAbroad(addressee.address, despatchMethod),
    producedAs: producedMethodOf(addressee.address, despatchMethod),
  }
}

/**
 * Returns the print-ready address of a letter. Line 5 is the destination, if it is known: post town, BFPO number or
 * country. Every line has at most 45 characters, the postcode at most 8. Never throws: an address of blanks only has
 * the line `-`.
 */
export function makePrintableAddress({ recipientName, address }: Addressee): PrintableAddress {
  return { ...linesOf(address, recipientName), ...wrapRecipientName(recipientName) }
}

function linesOf(address: Address, recipientName: string): AddressLines {
  if ('structuredAddress' in address) return makeStructuredLines(address.structuredAddress)
  if ('unstructuredAddress' in address) return makeUnstructuredLines(address.unstructuredAddress)
  if ('bfpoAddress' in address) return makeBfpoLines(address.bfpoAddress, recipientName)
  return makeInternationalLines(address.internationalAddress)
}

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

/** Returns an unstructured address as submitted, each line in its place: a gap before the post town stays a gap. */
export function makeUnstructuredLines(address: UnstructuredAddress): AddressLines {
  const { line1, line2, line3, line4, line5, postcode, dps } = address
  return nameUkLines(
    [tidyLine(line1), tidyLine(line2), tidyLine(line3), tidyLine(line4), tidyLine(line5)],
    { postcode, dps },
  )
}
