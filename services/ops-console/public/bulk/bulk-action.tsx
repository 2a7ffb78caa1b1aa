import type { BulkActionDetailsResponse } from '@despatch/contracts/administration/bulk-action'
import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import type { JSX } from 'preact'
import { ask, ownQuery, withQuery } from '../parts/api.ts'
import { Chip, type Look, StatusChip } from '../parts/chips.tsx'
import { Banner, Button, Card, Copyable, FactList, Head, Time } from '../parts/elements.tsx'
import { count, countOf } from '../parts/format.ts'
import { Legend, StackedBar } from '../parts/plot.tsx'
import { askFirst } from '../parts/question.tsx'
import type { Reading } from '../parts/reading.tsx'
import { session, whyNotForMe } from '../parts/session.ts'
import { TableCard } from '../parts/table.tsx'
import { stateChip } from './state.tsx'

type Bulk = BulkActionDetailsResponse
type Item = Bulk['items'][number]

export function isOver({ state }: Bulk): boolean {
  return state !== 'PLANNED' && state !== 'RUNNING'
}

/** Returns a sentence about the plan. Progress is announced at each quarter: a screen reader keeps up with no more. */
export function standingOf({ state, printJobCount, progress, possibleCount }: Bulk): string {
  const all = countOf(printJobCount, 'letter')
  switch (state) {
    case 'PLANNED':
      return `${all}, possible now: ${count(possibleCount ?? 0)}. Nothing happens until the plan is confirmed.`
    case 'RUNNING': {
      const quarters = Math.floor((4 * (printJobCount - progress.left)) / printJobCount)
      return `Running: ${all}.${quarters > 0 ? ` ${25 * quarters}% are done.` : ''}`
    }
    case 'EXPIRED':
      return 'The plan was not confirmed within 24 hours. Nothing was done.'
    default:
      return `${state === 'ENDED' ? 'Ended' : 'Stopped'}: ${count(progress.done)} of ${all} done.`
  }
}

/** One bulk action: what is planned, how far it is, and what became of each letter. */
export function BulkPage({ reading }: { reading: Reading<Bulk> }) {
  const bulk = reading.facts()
  const crumbs = [
    { path: '/print-jobs', title: 'Letters' },
    { path: '/bulk-actions', title: 'Bulk actions' },
  ]
  if (!bulk) {
    return (
      <>
        <Head title="Bulk action" crumbs={crumbs} />
        {reading.absent('Bulk action')}
      </>
    )
  }
  const { label } = printJobActions[bulk.action]
  return (
    <>
      <Head
        title={`${label}: ${countOf(bulk.printJobCount, 'letter')}`}
        crumbs={crumbs}
        beside={stateChip(bulk, true)}
        tools={buttonsOf(bulk, reading)}
      />
      <div class="stack">
        <Banner
          tone={bulk.state === 'PLANNED' ? 'warn' : undefined}
          line={
            <span class="meta">
              planned by {bulk.plannedBy}, <Time at={bulk.plannedAt} />
            </span>
          }
          say={standingOf(bulk)}
          why={{ Reason: bulk.reason, 'What happens next': nextOf(bulk) }}
        />
        {bulk.state !== 'PLANNED' && bulk.state !== 'EXPIRED' && <Progress bulk={bulk} />}
        <Card title="Facts" isPadded>
          <BulkFacts bulk={bulk} />
        </Card>
        <Items bulk={bulk} />
      </div>
    </>
  )
}

function mustBeAnother({ needsSecondPerson, plannedBy }: Bulk): boolean {
  return needsSecondPerson && plannedBy === session.value?.userName
}

function nextOf(bulk: Bulk): string | undefined {
  if (bulk.state === 'RUNNING') return 'It continues on its own, also if this page is closed.'
  if (bulk.state !== 'PLANNED') return undefined
  return mustBeAnother(bulk)
    ? `${countOf(bulk.printJobCount, 'letter')} require a second person: another operator, who is independent of you, must confirm on this page.`
    : ['You can confirm it.', bulk.secondPersonOff].filter(Boolean).join(' ')
}

function buttonsOf(bulk: Bulk, reading: Reading<Bulk>): (JSX.Element | false)[] {
  const path = `/bulk-actions/${bulk.bulkActionId}`
  if (bulk.state === 'RUNNING') {
    return [stopButton('Stop…', 'Letters that are done stay done.', { path, reading })]
  }
  if (bulk.state !== 'PLANNED') return []
  const canConfirm = !mustBeAnother(bulk) && whyNotForMe('confirmBulkAction') === null
  return [
    stopButton('Withdraw the plan…', 'The plan can then no longer be confirmed.', {
      path,
      reading,
    }),
    canConfirm && (
      <Button onClick={() => confirm(bulk, { path, reading })} look="primary" icon="send">
        Confirm…
      </Button>
    ),
  ]
}

type Place = { path: string; reading: Reading<Bulk> }

/** The operator types the count, so that nobody confirms without reading it. */
function confirm(
  { action, digest, printJobCount, possibleCount }: Bulk,
  { path, reading }: Place,
): void {
  const { label, effect } = printJobActions[action]
  const notPossible = printJobCount - (possibleCount ?? printJobCount)
  const all = countOf(printJobCount, 'letter')
  const letters = notPossible > 0 ? `up to ${all}` : all
  askFirst({
    title: `${label} ${letters}?`,
    button: `${label} ${letters} now`,
    isDanger: true,
    points: [
      effect,
      notPossible > 0 &&
        `Not possible now on ${countOf(notPossible, 'letter')}: each is tried too, at its turn.`,
      'You can stop it while it runs. Letters that are done stay done.',
    ],
    typed: { count: printJobCount, of: 'letters' },
    onSend: async () => {
      reading.show(await ask<Bulk>('POST', `${path}/confirm`, { digest, printJobCount }))
    },
  })
}

function stopButton(text: string, consequence: string, { path, reading }: Place) {
  if (whyNotForMe('stopBulkAction') !== null) return false
  const name = text.replace('…', '')
  const stop = () =>
    askFirst({
      title: `${name}?`,
      button: name,
      points: [consequence],
      onSend: async () => {
        reading.show(await ask<Bulk>('POST', `${path}/stop`))
      },
    })
  return (
    <Button onClick={stop} icon="pause">
      {text}
    </Button>
  )
}

type OfBulk = { bulk: Bulk }

function Progress({ bulk: { progress, printJobCount } }: OfBulk) {
  const parts = [
    { name: 'Done', ink: 'out', value: progress.done },
    { name: 'Refused', ink: 'warn', value: progress.refused },
    { name: 'Not found', ink: 'wait', value: progress.absent },
    { name: 'Not started', ink: 'wait', value: progress.notBegun },
    { name: 'Remaining', ink: 'in', value: progress.left - progress.failing },
    { name: 'Retrying after a failure', ink: 'bad', value: progress.failing },
  ] as const
  return (
    <Card
      title="Progress"
      meta={`${count(progress.done + progress.refused + progress.absent)} of ${count(printJobCount)} tried`}
      isPadded
    >
      <StackedBar parts={parts} />
      <Legend entries={parts.filter(({ name, value }) => value > 0 || name === 'Done')} />
    </Card>
  )
}

function BulkFacts({ bulk }: OfBulk) {
  const by = (userName: string | undefined, at: string | undefined) =>
    userName && [`${userName}, `, <Time at={at} />]
  return (
    <FactList
      of={{
        Letters: filtersOf(bulk),
        'Planned by': by(bulk.plannedBy, bulk.plannedAt),
        'Confirm before': bulk.expiresAt && <Time at={bulk.expiresAt} />,
        'Confirmed by': by(bulk.confirmedBy, bulk.confirmedAt),
        'Stopped by': by(bulk.stoppedBy, bulk.stoppedAt),
        Ended: bulk.endedAt && <Time at={bulk.endedAt} />,
        'Possible now': bulk.possibleCount !== undefined && count(bulk.possibleCount),
        'Not possible now':
          bulk.possibleCount !== undefined && count(bulk.printJobCount - bulk.possibleCount),
        Digest: <Copyable value={bulk.digest} name="digest" shownMax={16} />,
      }}
      isTwo
    />
  )
}

/** What the person who confirms a plan must know of the letters that it does not show. */
function filtersOf({ matching }: Bulk): string {
  if (!matching) return 'selected one by one'
  const { hasText, ...filters } = matching
  return [
    ...Object.entries(filters).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`),
    ...(hasText ? ['a text that is not stored'] : []),
  ].join('; ')
}

const outcomeNames = {
  done: 'Done',
  refused: 'Refused',
  absent: 'Not found',
  'not-begun': 'Not started',
  left: 'Remaining',
} as const

/** Links to the letters with one outcome, and to the other pages. */
function pagesOf({ bulkActionId: bulk, state, nextCursor, progress }: Bulk) {
  const { cursor, outcome } = ownQuery()
  const isPlan = state === 'PLANNED' || state === 'EXPIRED'
  if (isPlan && cursor === undefined && nextCursor === undefined) return null
  const link = (
    text: string,
    query: { cursor?: string; outcome?: string },
    current?: 'true' | undefined,
  ) => (
    <a href={withQuery('/bulk-actions', { bulk, ...query })} aria-current={current}>
      {text}
    </a>
  )
  const outcomes = Object.entries(outcomeNames).map(([name, text]) => {
    const number = progress[name === 'not-begun' ? 'notBegun' : (name as keyof typeof progress)]
    return link(
      `${text} ${count(number)}`,
      { outcome: name },
      name === outcome ? 'true' : undefined,
    )
  })
  const ofOutcome = outcome === undefined ? {} : { outcome }
  return (
    <span class="right">
      {!isPlan && (
        <>
          {link('All', {}, outcome === undefined ? 'true' : undefined)}
          {outcomes}
        </>
      )}
      {cursor !== undefined && link('First page', ofOutcome)}
      {nextCursor !== undefined && link('Next page', { ...ofOutcome, cursor: nextCursor })}
    </span>
  )
}

function Items({ bulk }: OfBulk) {
  const { state, items, printJobCount } = bulk
  const caption = state === 'PLANNED' ? 'Letters' : 'Letters and outcomes'
  return (
    <TableCard
      title={caption}
      meta={`${count(items.length)} of ${count(printJobCount)}`}
      footer={pagesOf(bulk)}
      columns={[
        'Letter',
        { name: 'Consumer', class: 'p2' },
        { name: 'Current status', class: 'p2' },
        'Outcome',
        { name: 'Why not', class: 'p2' },
        { name: 'Time', class: 'num p3' },
      ]}
      rows={items.map((item) => [
        item.printJobId ? (
          <a class="mono" href={withQuery('/print-job', { key: item.printJobKey })}>
            {item.printJobId}
          </a>
        ) : (
          <span class="mono">{item.printJobKey}</span>
        ),
        item.userName,
        item.status && <StatusChip status={item.status} />,
        [
          <Chip look={outcomeOf(item)} />,
          item.whyNot && <span class="sub only-s">{item.whyNot}</span>,
        ],
        item.whyNot,
        <Time at={item.at ?? item.retryAt} />,
      ])}
    />
  )
}

function outcomeOf({ outcome, isPossible, failures, failure }: Item): Look {
  if (outcome === 'done') return ['despatched', 'ok', 'Done']
  if (outcome) return ['deleted', outcome === 'refused' ? 'warn' : '', outcomeNames[outcome]]
  if (isPossible !== undefined) {
    return isPossible ? ['pending', 'info', 'Possible'] : ['deleted', 'warn', 'Not possible']
  }
  if (failures)
    return ['alert', 'bad', `Failed ${countOf(failures, 'time')} (${failure}), retrying`]
  return ['quarantine', '', 'To do']
}
