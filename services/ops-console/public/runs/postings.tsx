import type { PostingsResponse } from '@despatch/contracts/administration/posting'
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { ask, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { Chip } from '../parts/chips.tsx'
import { Button, Time } from '../parts/elements.tsx'
import { count, countOf } from '../parts/format.ts'
import { TableCard } from '../parts/table.tsx'

const read = signal<PostingsResponse>({ postings: [] })

/** Reads the newest postings of a run, or the page after them. */
export async function readPostings(batchNumber: string, cursor?: string): Promise<void> {
  const path = `/print-runs/${encodeURIComponent(batchNumber)}/postings`
  read.value = await ask('GET', withQuery(path, { cursor }))
}

/** The postings that have been read: what the carrier took, and whether it is confirmed. */
export function Postings({ batchNumber }: { batchNumber: string }) {
  const { postings, nextCursor } = read.value
  if (postings.length === 0) return null
  return (
    <TableCard
      title="Postings"
      meta="newest first"
      footer={
        nextCursor && (
          <Button
            onClick={() => void attempt(() => readPostings(batchNumber, nextCursor))}
            look="small"
          >
            Older postings
          </Button>
        )
      }
      columns={[
        'Handed over',
        'Carrier',
        { name: 'Documents', class: 'num p2' },
        { name: 'Sheets', class: 'num p2' },
        'State',
      ]}
      rows={postings.map((posting) => [
        <Time at={posting.handoverAt} />,
        [
          posting.carrier,
          posting.manifestNumber && <span class="sub mono">{posting.manifestNumber}</span>,
          <span class="sub only-s">{countOf(posting.documentCount, 'document')}</span>,
        ],
        [
          count(posting.documentCount),
          posting.printRunCount > 1 && (
            <span class="sub">with {countOf(posting.printRunCount - 1, 'other run')}</span>
          ),
        ],
        [count(posting.sheetCount), ...weighed(posting.counts)],
        [
          posting.confirmedAt ? (
            [
              <Chip look={['despatched', 'ok', 'Confirmed']} />,
              <span class="sub">
                <Time at={posting.confirmedAt} />
              </span>,
            ]
          ) : (
            <Chip look={['production', 'work', 'Not confirmed']} />
          ),
          posting.evidenceCount > 0 && (
            <span class="sub">
              {countOf(posting.evidenceCount, 'file of evidence', 'files of evidence')}
            </span>
          ),
        ],
      ])}
    />
  )
}

/** The weight bands of the carrier, each beside our estimate where that differs. */
function weighed(counts: PostingsResponse['postings'][number]['counts'] = []): JSX.Element[] {
  return counts.flatMap(({ despatchMethod, format, ...each }) => {
    const { weightBandGrams, documentCount, estimatedCount } = each
    if (weightBandGrams === undefined) return []
    const estimate =
      estimatedCount === documentCount ? '' : ` (estimate ${count(estimatedCount ?? 0)})`
    const text = `${despatchMethod} ${format} to ${weightBandGrams} g: ${count(documentCount)}${estimate}`
    return [<span class="sub">{text}</span>]
  })
}
