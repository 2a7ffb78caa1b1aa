import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import { h, type JSX } from 'preact'
import { withQuery } from '../parts/api.ts'
import { body, card, copyable, facts, link, time } from '../parts/elements.ts'
import { dayName } from '../parts/format.ts'

type Letter = PrintJobDetailsResponse

const addressLines = [
  'recipientLine1',
  'recipientLine2',
  'line1',
  'line2',
  'line3',
  'line4',
  'line5',
  'postcode',
] as const

/** Returns what is known about a letter beside its state: its address, ids and contract. */
export function factsOf(letter: Letter): JSX.Element {
  const { printableAddress, submittedAddress, addressOverride } = letter
  const printed =
    printableAddress && addressLines.map((name) => printableAddress[name]).filter(Boolean)
  const submitted = submittedAddress && linesOf(submittedAddress)
  const optional = (value: string | undefined, name: string) => value && copyable(value, name, 20)
  return card(
    { title: 'Facts', right: link(withQuery('/audit', { about: letter.printJobKey }), 'Audit') },
    body(
      facts({
        'Printed as': printed
          ? h('span', { class: 'address' }, printed.join('\n'))
          : submitted
            ? undefined
            : 'No address: it does not exist yet, or was deleted.',
        'Sent as':
          submitted &&
          (!printed || addressOverride) &&
          h('span', { class: 'address' }, submitted.join('\n')),
        Corrected: letter.addressOverriddenAt && time(letter.addressOverriddenAt),
        Consumer: link(
          withQuery('/consumers', { consumer: letter.consumerId }),
          letter.consumerName,
        ),
        Letter: copyable(letter.id, 'letter id', 24),
        Document: optional(letter.documentId, 'document id'),
        Reference: optional(letter.businessIdentifier, 'business identifier'),
        Correlation: optional(letter.correlationId, 'correlation id'),
        Contract: `${letter.jobType} / ${letter.templateReference}`,
        Run:
          letter.batchNumber &&
          link(withQuery('/print-runs', { run: letter.batchNumber }), letter.batchNumber),
        Site: letter.printLocation,
        Class: letter.producedAs,
        'Class asked for':
          letter.despatchMethod !== letter.producedAs ? letter.despatchMethod : undefined,
        'Provider’s id': letter.fulfilmentJobId,
        Serial: letter.serialNumber,
        Comment: letter.comment,
        Due: letter.dueDate && dayName(letter.dueDate),
        'Not before': letter.notBefore && time(letter.notBefore),
        Held: letter.heldAt && time(letter.heldAt),
        'Held by': letter.heldByUserName ?? letter.heldBy,
        Parked: letter.parkedAt && time(letter.parkedAt),
        Received: time(letter.createdAt),
        Updated: time(letter.updatedAt),
        'Data deleted': letter.purgedAt && time(letter.purgedAt),
        Key: copyable(letter.printJobKey, 'key', 20),
      }),
    ),
  )
}

/** Returns the name and the fields of a submitted address, of any kind. */
function linesOf({ recipientName, address }: NonNullable<Letter['submittedAddress']>): string[] {
  const [fields = {}] = Object.values(address)
  return [recipientName, ...Object.values(fields).filter(Boolean).map(String)]
}
