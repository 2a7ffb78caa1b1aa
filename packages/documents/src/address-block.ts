import type { PrintableAddress } from '@despatch/domain/address/address'
import { postalDeliveryPoint } from '@despatch/domain/address/postal-delivery-point'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { HandlingInstruction } from '@despatch/domain/print-job/params'
import { findUnprintable, printedText } from './printed-text.ts'

/** A line of the block, and the name that a finding uses for it. */
type BlockLine = { text: string; name: string }

export type AddressBlock =
  | {
      kind: 'block'
      handling: readonly BlockLine[]
      address: readonly BlockLine[]
      /** Content of the postal barcode. Absent unless both postcode and suffix are real. */
      deliveryPoint?: string
    }
  | { kind: 'unprintable'; findings: readonly Finding[] }

/** A finding about a line lists at most this many characters and counts the rest. */
const positionsNamedMax = 5

const bfpoLine = /^BFPO [0-9]{1,4}$/

/**
 * Returns the lines printed in the envelope's window, from the top: handling instruction, recipient, address, postcode.
 * If the last address line is a BFPO number, the postcode is omitted: forces mail is routed by that number, and a
 * postcode below it would send the letter to civilian sorting. A character that the typeface lacks is a finding that
 * names line and position, never the character. An address without a letter or digit is a finding too.
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
