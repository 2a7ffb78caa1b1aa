import type { PrintableAddress } from '@despatch/domain/address/address'
import { postalDeliveryPoint } from '@despatch/domain/address/postal-delivery-point'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { HandlingInstruction } from '@despatch/domain/print-job/params'
import { findUnprintable, printedText } from './printed-text.ts'

/** A line of the block and the words by which a refusal names it. */
export type BlockLine = { text: string; name: string }

export type AddressBlock =
  | {
      kind: 'block'
      handling: readonly BlockLine[]
      address: readonly BlockLine[]
      /** What the postal barcode says; absent when postcode and suffix are not both real. */
      deliveryPoint?: string
    }
  | { kind: 'unprintable'; findings: readonly Finding[] }

/** A finding about a line names this many of its characters and counts the rest. */
const positionsNamedMax = 5

const bfpoLine = /^BFPO [0-9]{1,4}$/

/**
 * What is printed in the envelope's window, from the top: handling instruction, recipient, address,
 * postcode. An address that ends with its BFPO number ends there: forces mail is routed by it, and a
 * postcode below it would send the letter to the sorting of civilian mail. A line with a character
 * that the typeface lacks is a finding that names line and place, never the character; so is an address
 * without a letter or a digit.
 */
export function makeAddressBlock(
  printableAddress: PrintableAddress,
  handlingInstruction: HandlingInstruction | undefined,
): AddressBlock {
  const { recipientLine1, recipientLine2, postcode } = printableAddress
  const handling = numberedLines('Handling instruction line', 7, handlingInstruction ?? {})
  const destination = numberedLines('Address line', 5, printableAddress)
  const isBfpo = bfpoLine.test(destination.at(-1)?.text ?? '')
  const address = [
    ...line('Recipient line 1', recipientLine1),
    ...line('Recipient line 2', recipientLine2),
    ...destination,
    ...(isBfpo ? [] : line('Postcode', postcode)),
  ]

  const findings = [
    ...[...handling, ...address].flatMap(findLackingCharacters),
    ...(destination.some(({ text }) => /[\p{L}\p{N}]/u.test(text)) ? [] : [emptyAddress]),
  ]
  if (findings.length > 0) return { kind: 'unprintable', findings }

  const deliveryPoint = isBfpo ? undefined : postalDeliveryPoint(printableAddress)
  return { kind: 'block', handling, address, ...(deliveryPoint && { deliveryPoint }) }
}

const emptyAddress: Finding = {
  rule: 'address-empty',
  severity: 'refusal',
  detail: 'The address has no line with a letter or a digit.',
}

function findLackingCharacters({ text, name }: BlockLine): Finding[] {
  const positions = findUnprintable(text)
  if (positions.length === 0) return []
  return [
    {
      rule: 'address-character',
      severity: 'refusal',
      measured: { unit: 'characters', value: positions.length },
      allowed: { unit: 'characters', max: 0 },
      detail: `${name} has ${describe(positions)}.`,
    },
  ]
}

function describe(positions: readonly number[]): string {
  if (positions.length === 1) {
    return `a character that cannot be printed, at position ${positions[0]}`
  }
  const named = positions.slice(0, positionsNamedMax)
  const others = positions.length - named.length
  const list =
    others > 0
      ? `${named.join(', ')} and ${others} more`
      : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`
  return `characters that cannot be printed, at positions ${list}`
}

function numberedLines(
  name: string,
  count: number,
  lines: { [line in `line${number}`]?: string },
): BlockLine[] {
  return Array.from({ length: count }, (_, index) => index + 1).flatMap((number) =>
    line(`${name} ${number}`, lines[`line${number}`]),
  )
}

function line(name: string, text: string | undefined): BlockLine[] {
  const printed = printedText(text ?? '')
  return printed.trim() ? [{ text: printed, name }] : []
}
