import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import { otherParams } from '@despatch/domain/print-job/params'
import { withQuery } from '../parts/api.ts'
import { Card, Copyable, FactList, Time } from '../parts/elements.tsx'
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

/** What is known about a letter beside its state: its address, ids and contract. */
export function LetterFacts({ letter }: { letter: Letter }) {
  const { printableAddress, submittedAddress, addressOverride } = letter
  const printed =
    printableAddress && addressLines.map((name) => printableAddress[name]).filter(Boolean)
  const submitted = submittedAddress && linesOf(submittedAddress)
  const optional = (value: string | undefined, name: string) =>
    value && <Copyable value={value} name={name} shownMax={20} />
  return (
    <Card
      title="Facts"
      right={<a href={withQuery('/audit', { about: letter.printJobKey })}>Audit</a>}
      isPadded
    >
      <FactList
        of={{
          'Printed as': printed ? (
            <span class="address">{printed.join('\n')}</span>
          ) : submitted ? undefined : (
            'No address: it does not exist yet, or was deleted.'
          ),
          'Sent as': submitted && (!printed || addressOverride) && (
            <span class="address">{submitted.join('\n')}</span>
          ),
          Corrected: letter.addressOverriddenAt && <Time at={letter.addressOverriddenAt} />,
          Consumer: (
            <a href={withQuery('/consumers', { consumer: letter.consumerId })}>
              {letter.consumerName}
            </a>
          ),
          Letter: <Copyable value={letter.id} name="letter id" shownMax={24} />,
          Document: optional(letter.documentId, 'document id'),
          Reference: optional(letter.businessIdentifier, 'business identifier'),
          Correlation: optional(letter.correlationId, 'correlation id'),
          Contract: `${letter.jobType} / ${letter.templateReference}`,
          Run: letter.batchNumber && (
            <a href={withQuery('/print-runs', { run: letter.batchNumber })}>{letter.batchNumber}</a>
          ),
          Site: letter.printLocation,
          Class: letter.producedAs,
          'Class asked for':
            letter.despatchMethod !== letter.producedAs ? letter.despatchMethod : undefined,
          ...otherParams(letter.submittedParams),
          'Provider’s id': letter.fulfilmentJobId,
          Serial: letter.serialNumber,
          Comment: letter.comment,
          Due: letter.dueDate && dayName(letter.dueDate),
          'Not before': letter.notBefore && <Time at={letter.notBefore} />,
          Held: letter.heldAt && <Time at={letter.heldAt} />,
          'Held by': letter.heldByUserName ?? letter.heldBy,
          Parked: letter.parkedAt && <Time at={letter.parkedAt} />,
          Received: <Time at={letter.createdAt} />,
          Updated: <Time at={letter.updatedAt} />,
          'Data deleted': letter.purgedAt && <Time at={letter.purgedAt} />,
          Key: <Copyable value={letter.printJobKey} name="key" shownMax={20} />,
        }}
      />
    </Card>
  )
}

/** Returns the name and the fields of a submitted address, of any kind. */
function linesOf({ recipientName, address }: NonNullable<Letter['submittedAddress']>): string[] {
  const [fields = {}] = Object.values(address)
  return [recipientName, ...Object.values(fields).filter(Boolean).map(String)]
}
