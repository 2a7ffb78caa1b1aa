import type { PostingsResponse } from '@despatch/contracts/administration/posting'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { ask, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { chip } from '../parts/chips.ts'
import { button, card, time } from '../parts/elements.ts'
import { count, countOf } from '../parts/format.ts'
import { table } from '../parts/table.ts'

const read = signal<PostingsResponse>({ postings: [] })

/** Reads the newest postings of a run, or the page after them. */
export async function readPostings(batchNumber: string, cursor?: string): Promise<void> {
  const path = `/print-runs/${encodeURIComponent(batchNumber)}/postings`
  read.value = await ask('GET', withQuery(path, { cursor }))
}

/** Returns the postings that have been read: what the carrier took, and whether it is confirmed. */
export function postingsCard(batchNumber: string): JSX.Element | null {
  const { postings, nextCursor } = read.value
  if (postings.length === 0) return null
  return card(
    {
      title: 'Postings',
      meta: 'newest first',
      footer:
        nextCursor &&
        button('Older postings', () => void attempt(() => readPostings(batchNumber, nextCursor)), {
          look: 'small',
        }),
    },
    table({
      caption: 'Postings',
      columns: [
        'Handed over',
        'Carrier',
        { name: 'Documents', class: 'num p2' },
        { name: 'Sheets', class: 'num p2' },
        'State',
      ],
      rows: postings.map((posting) => [
        time(posting.handoverAt),
        [
          posting.carrier,
          posting.manifestNumber && h('span', { class: 'sub mono' }, posting.manifestNumber),
          h('span', { class: 'sub only-s' }, countOf(posting.documentCount, 'document')),
        ],
        [
          count(posting.documentCount),
          posting.printRunCount > 1 &&
            h('span', { class: 'sub' }, `with ${countOf(posting.printRunCount - 1, 'other run')}`),
        ],
        [count(posting.sheetCount), ...weighed(posting.counts)],
        [
          posting.confirmedAt
            ? [
                chip(['despatched', 'ok', 'Confirmed']),
                h('span', { class: 'sub' }, time(posting.confirmedAt)),
              ]
            : chip(['production', 'work', 'Not confirmed']),
          posting.evidenceCount > 0 &&
            h(
              'span',
              { class: 'sub' },
              countOf(posting.evidenceCount, 'file of evidence', 'files of evidence'),
            ),
        ],
      ]),
    }),
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
    return [h('span', { class: 'sub' }, text)]
  })
}
