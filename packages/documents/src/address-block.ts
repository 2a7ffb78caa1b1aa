import type { PrintableAddress } from '@despatch/domain/address/address'
import type { HandlingInstruction } from '@despatch/domain/print-job/params'
import { isPrintable, printedText } from './printed-text.ts'

/** A line of the block and the words by which a refusal names it. */
export type BlockLine = { text: string; name: string }

export type AddressBlock =
  | { kind: 'block'; handling: readonly BlockLine[]; address: readonly BlockLine[] }
  | { kind: 'unprintable'; reason: string }

const bfpoLine = /^BFPO [0-9]{1,4}$/

/**
 * What is printed in the envelope's window, from the top: handling instruction, recipient, address,
 * postcode. An address that ends with its BFPO number ends there: forces mail is routed by it, and a
 * postcode below it would send the letter to the sorting of civilian mail.
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

  const unprintable = [...handling, ...address].find(({ text }) => !isPrintable(text))
  if (unprintable) return refuse(`${unprintable.name} has a character that cannot be printed.`)
  if (!destination.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) {
    return refuse('The address has no line with a letter or a digit.')
  }
  return { kind: 'block', handling, address }
}

function refuse(reason: string): AddressBlock {
  return { kind: 'unprintable', reason }
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
