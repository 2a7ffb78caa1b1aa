import type { PrintRunDetailsResponse } from '@despatch/contracts/administration/print-run'
import type { Advice } from '@despatch/domain/print-run/advice'
import type { DocumentProgress } from '@despatch/domain/print-run/document-progress'
import { type PrintRunState, printRunStates } from '@despatch/domain/print-run/state'
import { withQuery } from '../parts/api.ts'
import { Chip, type Look, RunChip, runStateName } from '../parts/chips.tsx'
import { Banner, Card, Copyable, CopyButton, FactList, Head, Time } from '../parts/elements.tsx'
import { bytes, count, countOf, dayName } from '../parts/format.ts'
import { Legend, StackedBar } from '../parts/plot.tsx'
import type { Reading } from '../parts/reading.tsx'
import { TableCard } from '../parts/table.tsx'
import { documentButtons, type MissingDocument, runButtons } from './actions.tsx'
import { isOverdue } from './overdue.ts'
import { Postings, readPostings } from './postings.tsx'
import { Recalls, readRecalls } from './recalls.tsx'
import { WaitingReprints } from './reprints.tsx'
import { Sites } from './sites.tsx'

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
} as const satisfies Readonly<Record<DocumentProgress, Look>>

/** Returns a run as a sentence, for those who hear it. */
export function standingOf({ batchNumber, state }: Run): string {
  return `Print run ${batchNumber} is ${state}.`
}

export function isOver({ state }: Run): boolean {
  return state === 'CLOSED' || state === 'VOIDED'
}

type RunPageProps = { batchNumber: string; reading: Reading<Run> }

/** One run: its steps, its reconciliation, what is missing and what can be done. */
export function RunPage({ batchNumber, reading }: RunPageProps) {
  const run = reading.facts()
  if (!run) {
    return (
      <>
        <Head
          title={
            <>
              Run <span class="mono">{batchNumber}</span>
            </>
          }
          crumbs={crumbs}
        />
        {reading.absent('Run')}
      </>
    )
  }
  const again = async () => {
    await Promise.all([reading.again(), readRecalls(batchNumber), readPostings(batchNumber)])
  }
  return (
    <>
      <Head
        title={
          <>
            Run <span class="mono">{batchNumber}</span>
          </>
        }
        crumbs={[...crumbs, { path: '', title: `${run.providerId}, ${run.printLocation}` }]}
        beside={
          <>
            <CopyButton value={batchNumber} name="batch number" />
            <RunChip state={run.state} isBig />
            {isOverdue(run) && <Chip look={['clock', 'bad', 'Overdue']} isBig />}
          </>
        }
        tools={runButtons(run, again)}
      />
      <div class="stack">
        <Trouble run={run} />
        <Card title="Progress" isPadded>
          <Steps run={run} />
        </Card>
        <Reconciliation run={run} />
        <Missing run={run} again={again} />
        <WaitingReprints batchNumber={batchNumber} />
        <Postings batchNumber={batchNumber} />
        <Recalls title="Recalls" onSettled={again} />
        <Sites />
        <Card title="Facts" right={<a href={withQuery('/audit', { about: batchNumber })}>Audit</a>}>
          <div class="body">
            <RunFacts run={run} />
          </div>
        </Card>
      </div>
    </>
  )
}

type OfRun = { run: Run }

/** What hinders a run. */
function Trouble({ run }: OfRun) {
  const { refusal, releaseFault, releaseFailureCount, releaseTriedAt } = run
  const { voidReason, movedTo, state } = run
  if (state === 'VOIDED') {
    return (
      <Banner
        line={
          <>
            <RunChip state={state} isBig />
            {voidReason && <span>{voidReason}</span>}
          </>
        }
        say={
          <>
            Its documents continue in{' '}
            {movedTo ? (
              <a href={withQuery('/print-runs', { run: movedTo })}>run {movedTo}</a>
            ) : (
              'another run'
            )}
            .
          </>
        }
      />
    )
  }
  if (refusal) {
    return (
      <Banner
        tone="bad"
        line={<RunChip state={state} isBig />}
        say={`The provider refuses the whole run: ${refusal}`}
        why={{
          'What happens next':
            'Nothing is printed until it is reassigned to another site, or recalled.',
        }}
      />
    )
  }
  if (!releaseFailureCount) return null
  return (
    <Banner
      tone="warn"
      line={
        <>
          <RunChip state={state} isBig />
          <span class="meta">
            last tried <Time at={releaseTriedAt} />
          </span>
        </>
      }
      say={`Its release failed ${countOf(releaseFailureCount, 'time')}.`}
      why={{
        'Our fault': releaseFault,
        'What happens next': 'The release is retried automatically.',
      }}
    />
  )
}

type Step = { name: string; at: string | undefined; from: PrintRunState }

function Steps({ run }: OfRun) {
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
  return (
    <ol class="steps">
      {steps.map(({ name, at }, index) => {
        const isDone = index < here || (index === here && run.state === 'CLOSED')
        const remark = at ? (
          <Time at={at} />
        ) : index === here && left ? (
          `${count(left)} missing`
        ) : index === 1 && run.cutOffAt ? (
          ['cut-off ', <Time at={run.cutOffAt} />]
        ) : null
        return (
          <li
            class={isDone ? 'done' : index === here ? 'here' : ''}
            aria-current={index === here ? 'step' : undefined}
          >
            <b>{name}</b>
            {remark}
          </li>
        )
      })}
    </ol>
  )
}

function Reconciliation({ run }: OfRun) {
  const { account, documentCount, expectedDespatchDate } = run
  const due = expectedDespatchDate && `Due ${dayName(expectedDespatchDate)}`
  const right = <span class="meta">{due}</span>
  if (!account) {
    return (
      <Card title="Reconciliation" meta={countOf(documentCount, 'document')} right={right} isPadded>
        It begins when the provider claims the run.
      </Card>
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
  return (
    <Card
      title="Reconciliation"
      meta={`${countOf(account.expected, 'document')} claimed`}
      right={right}
      isPadded
    >
      <StackedBar parts={parts} />
      <Legend
        entries={parts.filter(
          ({ name, value }) => value > 0 || name === 'Despatched' || name === 'Missing',
        )}
      >
        <span class="meta">{share.toFixed(2)}% despatched</span>
      </Legend>
      {account.moved > 0 && (
        <p class="meta">{countOf(account.moved, 'document')} continue in another run.</p>
      )}
    </Card>
  )
}

function Missing({ run, again }: OfRun & { again: () => unknown }) {
  const { account, unaccounted = [] } = run
  if (!account) return null
  if (account.missing === 0) {
    return (
      <Card title="Missing documents" isPadded>
        None: every document is reconciled.
      </Card>
    )
  }
  return (
    <TableCard
      title="Missing documents"
      meta={`${count(account.missing)}: their outcome is not known yet`}
      footer={
        account.missing > unaccounted.length && `The first ${count(unaccounted.length)} are shown.`
      }
      columns={[
        'Document',
        { name: 'Recipient', class: 'p2' },
        { name: 'Attempt', class: 'num p2' },
        'Progress',
        { name: 'Last change', class: 'num p2' },
        { name: 'What to do', class: 'p2' },
        { name: 'Action', class: 'act wrap', isHidden: true },
      ]}
      rows={unaccounted.map((document) => [
        <a class="mono" href={withQuery('/print-job', { key: document.printJobKey })}>
          {document.documentId}
        </a>,
        document.recipientName,
        count(document.attempt),
        [progressOf(document), <span class="sub only-s">{advices[document.advice]}</span>],
        <Time at={document.updatedAt} />,
        advices[document.advice],
        documentButtons(run, document, again),
      ])}
    />
  )
}

function progressOf({ progress, postingId }: MissingDocument) {
  if (postingId) return <Chip look={['production', 'work', 'In a posting, not confirmed']} />
  return <Chip look={progress ? progresses[progress] : ['quarantine', '', 'Not reported']} />
}

function RunFacts({ run }: OfRun) {
  const runLink = (batchNumber: string | undefined) =>
    batchNumber && <a href={withQuery('/print-runs', { run: batchNumber })}>{batchNumber}</a>
  return (
    <FactList
      of={{
        Provider: [
          <a href={withQuery('/print-runs', { providerId: run.providerId })}>{run.providerId}</a>,
          `, ${run.printLocation}`,
        ],
        Documents: (
          <a href={withQuery('/print-jobs', { find: run.batchNumber })}>
            {countOf(run.documentCount, 'document')}
          </a>
        ),
        'Sheets, pages': `${countOf(run.sheetCount, 'sheet')}, ${countOf(run.pageCount, 'page')}`,
        Size: bytes(run.byteCount),
        Stationery: `${run.stationery}, ${run.plex}, ${run.colour ? 'colour' : 'black'}`,
        Class: run.despatchMethod,
        'Print epoch':
          run.printEpoch === 1 ? '1, never reassigned after a claim' : count(run.printEpoch),
        Manifest: run.manifestDigest && [
          `version ${count(run.manifestVersion ?? 1)}, `,
          <Copyable value={run.manifestDigest} name="manifest digest" shownMax={16} />,
        ],
        'Lease until': run.leaseUntil && <Time at={run.leaseUntil} />,
        'Release asked by': run.releaseAskedByUserName ?? run.releaseAskedBy,
        'Moved from': runLink(run.movedFrom),
        'Moved to': runLink(run.movedTo),
        'Closed by': run.closedByUserName ?? run.closedBy,
        State: runStateName(run.state),
      }}
      isTwo
    />
  )
}
