import type { PrintRunDetailsResponse } from '@despatch/contracts/administration/print-run'
import type { Advice } from '@despatch/domain/print-run/advice'
import type { DocumentProgress } from '@despatch/domain/print-run/document-progress'
import { type PrintRunState, printRunStates } from '@despatch/domain/print-run/state'
import { h, type JSX } from 'preact'
import { withQuery } from '../parts/api.ts'
import { chip, runChip, runStateName } from '../parts/chips.ts'
import {
  banner,
  body,
  card,
  copyable,
  copyButton,
  facts,
  head,
  link,
  time,
} from '../parts/elements.ts'
import { bytes, count, countOf, dayName } from '../parts/format.ts'
import { legend, stackedBar } from '../parts/plot.ts'
import type { Reading } from '../parts/reading.ts'
import { table } from '../parts/table.ts'
import { documentButtons, type MissingDocument, runButtons } from './actions.ts'
import { isOverdue } from './overdue.ts'
import { postingsCard, readPostings } from './postings.ts'
import { readRecalls, recallsCard } from './recalls.ts'
import { waitingReprints } from './reprints.ts'
import { sitesCard } from './sites.ts'

type Run = PrintRunDetailsResponse

const crumbs = [{ path: '/print-runs', title: 'Runs' }]

const advices: Readonly<Record<Advice, string>> = {
  'move-run': 'Reassign the run to another site, or recall it',
  'decide-reprint': 'Decide on its reprint',
  post: 'Record its posting: it had left when it was recalled',
  recall: 'Recall it, and settle the recall',
}
const progresses = {
  FETCHED: ['dot', 'work', 'Fetched'],
  PRINTED: ['dot', 'work', 'Printed'],
  ENCLOSED: ['dot', 'work', 'Enclosed'],
  SPOILED: ['deleted', 'warn', 'Spoiled'],
} as const satisfies Readonly<Record<DocumentProgress, Parameters<typeof chip>[0]>>

/** Returns a run as a sentence, for those who hear it. */
export function standingOf({ batchNumber, state }: Run): string {
  return `Print run ${batchNumber} is ${state}.`
}

export function isOver({ state }: Run): boolean {
  return state === 'CLOSED' || state === 'VOIDED'
}

/** One run: its steps, its reconciliation, what is missing and what can be done. */
export function runPage(batchNumber: string, reading: Reading<Run>): JSX.Element[] {
  const run = reading.facts()
  if (!run)
    return [
      ...head(['Run ', h('span', { class: 'mono' }, batchNumber)], { crumbs }),
      reading.absent('Run'),
    ]
  const again = async () => {
    await Promise.all([reading.again(), readRecalls(batchNumber), readPostings(batchNumber)])
  }
  return [
    ...head(['Run ', h('span', { class: 'mono' }, batchNumber)], {
      crumbs: [...crumbs, { path: '', title: `${run.providerId}, ${run.printLocation}` }],
      beside: [
        copyButton(batchNumber, 'batch number'),
        runChip(run.state, true),
        isOverdue(run) && chip(['clock', 'bad', 'Overdue'], true),
      ],
      tools: runButtons(run, again),
    }),
    h(
      'div',
      { class: 'stack' },
      troubleOf(run),
      card({ title: 'Progress' }, body(stepsOf(run))),
      reconciliation(run),
      missing(run, again),
      waitingReprints(batchNumber),
      postingsCard(batchNumber),
      recallsCard('Recalls', again),
      sitesCard(),
      card(
        { title: 'Facts', right: link(withQuery('/audit', { about: batchNumber }), 'Audit') },
        body(factsOf(run)),
      ),
    ),
  ]
}

function troubleOf({
  refusal,
  releaseFault,
  releaseFailureCount,
  releaseTriedAt,
  voidReason,
  movedTo,
  state,
}: Run) {
  if (state === 'VOIDED') {
    return banner({
      line: [runChip(state, true), voidReason && h('span', {}, voidReason)],
      say: [
        'Its documents continue in ',
        movedTo
          ? link(withQuery('/print-runs', { run: movedTo }), `run ${movedTo}`)
          : 'another run',
        '.',
      ],
    })
  }
  if (refusal) {
    return banner({
      tone: 'bad',
      line: [runChip(state, true)],
      say: `The provider refuses the whole run: ${refusal}`,
      why: {
        'What happens next':
          'Nothing is printed until it is reassigned to another site, or recalled.',
      },
    })
  }
  if (!releaseFailureCount) return null
  return banner({
    tone: 'warn',
    line: [runChip(state, true), h('span', { class: 'meta' }, 'last tried ', time(releaseTriedAt))],
    say: `Its release failed ${countOf(releaseFailureCount, 'time')}.`,
    why: {
      'Our fault': releaseFault,
      'What happens next': 'The release is retried automatically.',
    },
  })
}

type Step = { name: string; at: string | undefined; from: PrintRunState }

function stepsOf(run: Run): JSX.Element {
  const { missing: left } = run.account ?? {}
  const steps: readonly Step[] = [
    { name: 'Opened', at: run.openedAt, from: 'OPEN' },
    { name: 'Released', at: run.releasedAt, from: 'RELEASED' },
    { name: 'Claimed', at: run.claimedAt, from: 'CLAIMED' },
    { name: 'Acknowledged', at: run.acknowledgedAt, from: 'ACCEPTED' },
    { name: 'In production', at: undefined, from: 'IN_PRODUCTION' },
    { name: 'Posted', at: run.postedAt, from: 'POSTED' },
    { name: 'Reconciled', at: undefined, from: 'RECONCILED' },
    { name: 'Closed', at: run.closedAt, from: 'CLOSED' },
  ]
  const reached = printRunStates.indexOf(run.state)
  const here = steps.findLastIndex(({ from }) => printRunStates.indexOf(from) <= reached)
  return h(
    'ol',
    { class: 'steps' },
    steps.map(({ name, at }, index) => {
      const isDone = index < here || (index === here && run.state === 'CLOSED')
      const remark = at
        ? time(at)
        : index === here && left
          ? `${count(left)} missing`
          : index === 1 && run.cutOffAt
            ? ['cut-off ', time(run.cutOffAt)]
            : null
      return h(
        'li',
        {
          class: isDone ? 'done' : index === here ? 'here' : '',
          'aria-current': index === here ? 'step' : undefined,
        },
        h('b', {}, name),
        remark,
      )
    }),
  )
}

function reconciliation(run: Run): JSX.Element {
  const { account, documentCount, expectedDespatchDate } = run
  const due = expectedDespatchDate && `Due ${dayName(expectedDespatchDate)}`
  const right = h('span', { class: 'meta' }, due)
  if (!account) {
    return card(
      { title: 'Reconciliation', meta: countOf(documentCount, 'document'), right },
      body('It begins when the provider claims the run.'),
    )
  }
  const parts = [
    { name: 'Despatched', ink: 'out', value: account.despatched },
    { name: 'Refused', ink: 'wait', value: account.refused },
    { name: 'Failed', ink: 'warn', value: account.failed },
    { name: 'Recalled', ink: 'in', value: account.recalled },
    { name: 'In a posting that is not confirmed', ink: 'work', value: account.posted },
    { name: 'Missing', ink: 'bad', value: Math.max(0, account.missing - account.posted) },
  ] as const
  const share = account.expected === 0 ? 0 : (100 * account.despatched) / account.expected
  return card(
    {
      title: 'Reconciliation',
      meta: `${countOf(account.expected, 'document')} claimed`,
      right,
    },
    body(
      stackedBar(parts),
      legend(
        parts.filter(({ name, value }) => value > 0 || name === 'Despatched' || name === 'Missing'),
        h('span', { class: 'meta' }, `${share.toFixed(2)}% despatched`),
      ),
      account.moved > 0 &&
        h('p', { class: 'meta' }, `${countOf(account.moved, 'document')} continue in another run.`),
    ),
  )
}

function missing(run: Run, again: () => unknown): JSX.Element | null {
  const { account, unaccounted = [] } = run
  if (!account) return null
  if (account.missing === 0) {
    return card({ title: 'Missing documents' }, body('None: every document is reconciled.'))
  }
  return card(
    {
      title: 'Missing documents',
      meta: `${count(account.missing)}: their outcome is not known yet`,
      footer:
        account.missing > unaccounted.length && `The first ${count(unaccounted.length)} are shown.`,
    },
    table({
      caption: 'Missing documents',
      columns: [
        'Document',
        { name: 'Recipient', class: 'p2' },
        { name: 'Attempt', class: 'num p2' },
        'Progress',
        { name: 'Last change', class: 'num p2' },
        { name: 'What to do', class: 'p2' },
        { name: 'Action', class: 'act wrap', isHidden: true },
      ],
      rows: unaccounted.map((document) => [
        h(
          'a',
          { class: 'mono', href: withQuery('/print-job', { key: document.printJobKey }) },
          document.documentId,
        ),
        document.recipientName,
        count(document.attempt),
        [progressOf(document), h('span', { class: 'sub only-s' }, advices[document.advice])],
        time(document.updatedAt),
        advices[document.advice],
        documentButtons(run, document, again),
      ]),
    }),
  )
}

function progressOf({ progress, postingId }: MissingDocument): JSX.Element {
  if (postingId) return chip(['production', 'work', 'In a posting, not confirmed'])
  return chip(progress ? progresses[progress] : ['quarantine', '', 'Not reported'])
}

function factsOf(run: Run): JSX.Element {
  const runLink = (batchNumber: string | undefined) =>
    batchNumber && link(withQuery('/print-runs', { run: batchNumber }), batchNumber)
  return facts(
    {
      Provider: [
        link(withQuery('/print-runs', { providerId: run.providerId }), run.providerId),
        `, ${run.printLocation}`,
      ],
      Documents: link(
        withQuery('/print-jobs', { find: run.batchNumber }),
        countOf(run.documentCount, 'document'),
      ),
      'Sheets, pages': `${countOf(run.sheetCount, 'sheet')}, ${countOf(run.pageCount, 'page')}`,
      Size: bytes(run.byteCount),
      Stationery: `${run.stationery}, ${run.plex}, ${run.colour ? 'colour' : 'black'}`,
      Class: run.despatchMethod,
      'Print epoch':
        run.printEpoch === 1 ? '1, never reassigned after a claim' : count(run.printEpoch),
      Manifest: run.manifestDigest && [
        `version ${count(run.manifestVersion ?? 1)}, `,
        copyable(run.manifestDigest, 'manifest digest', 16),
      ],
      'Lease until': run.leaseUntil && time(run.leaseUntil),
      'Release asked by': run.releaseAskedByUserName ?? run.releaseAskedBy,
      'Moved from': runLink(run.movedFrom),
      'Moved to': runLink(run.movedTo),
      'Closed by': run.closedByUserName ?? run.closedBy,
      State: runStateName(run.state),
    },
    { isTwo: true },
  )
}
