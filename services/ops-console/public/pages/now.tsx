import type { Lateness } from '@despatch/domain/print-job/lateness'
import { isFinal, printJobStatuses } from '@despatch/domain/print-job/status'
import { effect } from '@preact/signals'
import { openStatuses } from '../letters/filter.ts'
import { Strip } from '../now/today.tsx'
import { withQuery } from '../parts/api.ts'
import { Chip, callbackEndName, StatusChip, statusName } from '../parts/chips.tsx'
import { Card, Head, Icon, NotAvailable, Skeleton, Time } from '../parts/elements.tsx'
import { FlowPlot } from '../parts/flow-plot.tsx'
import { age, count, countOf, dayName } from '../parts/format.ts'
import { type Facts, facts, silence } from '../parts/live.ts'
import { announce } from '../parts/notice.ts'
import { type Ink, Legend, Meter, StackedBar } from '../parts/plot.tsx'
import { start } from '../parts/shell.tsx'
import { TableCard } from '../parts/table.tsx'
import { RunsByDay } from '../runs/by-day.tsx'

function NowPage() {
  const seen = facts.value
  const today = <span class="meta">{dayName(seen?.at ?? new Date().toISOString())}</span>
  const heading = <Head title="Now" beside={today} />
  if (!seen) {
    return (
      <>
        {heading}
        <Skeleton title="Needs a look" />
      </>
    )
  }
  return (
    <>
      {heading}
      <div class={silence.value ? 'stack stale' : 'stack'}>
        <NeedsALook {...seen} />
        <DueToday {...seen} />
        <Strip {...seen} />
        <div class="cols">
          <LastHour {...seen} />
          <CallbacksAMinute {...seen} />
        </div>
        <FailingOrigins {...seen} />
        <div class="cols">
          <Backlog {...seen} />
          <BacklogByConsumer {...seen} />
        </div>
        <RunsByDay {...seen} />
        <FailingSteps {...seen} />
        <DeadCallbacks {...seen} />
      </div>
    </>
  )
}

/** Each line has its age, and one action: the page where something can be done about it. */
function NeedsALook({ concerns }: Facts) {
  if (!concerns) {
    return (
      <section class="card look" aria-label="Needs a look">
        <ul>
          <li class="is-bad">
            <Icon name="rejected" kind="g" />
            <div>
              <p class="what">The database does not respond</p>
              <p class="why">The figures return when the database does.</p>
            </div>
          </li>
        </ul>
      </section>
    )
  }
  if (concerns.length === 0) {
    return (
      <section class="card" aria-label="Needs a look">
        <p class="calm">
          <Icon name="despatched" kind="g" />
          <b>Nothing needs a look.</b>
        </p>
      </section>
    )
  }
  return (
    <Card title="Needs a look" meta={`${count(concerns.length)}, most urgent first`} class="look">
      <ul>
        {concerns.map(({ what, why, oldestSeconds, open, isUrgent }) => (
          <li class={isUrgent ? 'is-bad' : 'is-warn'}>
            <Icon name={isUrgent ? 'rejected' : 'parked'} kind="g" />
            <div>
              <p class="what">{what}</p>
              <p class="why">{why}</p>
            </div>
            <span class="age">{typeof oldestSeconds === 'number' && age(oldestSeconds)}</span>
            {open && (
              <a class="btn small" href={open.path} aria-label={`${open.text}: ${what}`}>
                {open.text}
              </a>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Whether the post of today is safe. Overdue letters are of earlier days, so the bar does not include them. */
function DueToday({ due }: Facts) {
  const title = 'Due today'
  if (!due) return <NotAvailable title={title} />
  const { date, letters, isMore } = due
  const ofToday = (lateness: Exclude<Lateness, 'overdue'>, name: string, ink: Ink) => ({
    name,
    ink,
    value: letters[lateness],
    path: lateness === 'at-risk' ? '/print-jobs?only=at-risk' : undefined,
  })
  const parts = [
    ofToday('despatched', 'Despatched', 'out'),
    ofToday('in-production', 'In production', 'work'),
    ofToday('before-production', 'Before production', 'wait'),
    ofToday('at-risk', 'At risk', 'bad'),
  ]
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  const letterCount = `${countOf(total, 'letter')}${isMore ? ' or more' : ''}`
  return (
    <Card
      title={title}
      meta={
        <>
          {dayName(date)} · {letterCount}
        </>
      }
      right={<a href={withQuery('/print-jobs', { dueFrom: date, dueTo: date })}>All due today</a>}
      isPadded
    >
      {total > 0 ? <StackedBar parts={parts} /> : <p>No letter is due today.</p>}
      <Legend entries={parts}>
        <a class="push" href="/print-jobs?only=overdue">
          Overdue from earlier days{' '}
          <b class={letters.overdue > 0 ? 'bad' : ''}>{count(letters.overdue)}</b>
        </a>
      </Legend>
    </Card>
  )
}

function LastHour({ flow, at }: Facts) {
  if (!flow) return <NotAvailable title="Letters a minute" />
  return (
    <Card title="Letters a minute" right={<span class="meta">Last hour</span>}>
      <FlowPlot
        flow={flow}
        at={at}
        labelOf={(came, despatched) => {
          return `In the last hour, ${count(came)} letters were received and ${count(despatched)} despatched.`
        }}
        series={[
          ['came', 'Received', 'in'],
          ['despatched', 'Despatched', 'out'],
        ]}
      />
    </Card>
  )
}

function CallbacksAMinute({ figures, flow, at }: Facts) {
  const { callbacks: owed } = figures ?? {}
  return (
    <Card
      title="Callbacks a minute"
      right={<a href="/callbacks">All callbacks</a>}
      footer={
        owed && (
          <>
            <span>Due, including retries: {count(owed.due)}</span>
            {owed.lateSeconds !== null && <span>Overdue by {age(owed.lateSeconds)}</span>}
            <span>Dead in the last 24 hours: {count(owed.deadLastDay)}</span>
          </>
        )
      }
    >
      {flow ? (
        <FlowPlot
          flow={flow}
          at={at}
          labelOf={(failed, delivered) => {
            return `In the last hour, ${count(delivered)} callbacks were delivered, and ${count(failed)} attempts failed.`
          }}
          series={[
            ['failed', 'Failed attempts', 'bad'],
            ['delivered', 'Delivered', 'out'],
          ]}
          kind="stack"
        />
      ) : (
        <div class="body">Not available.</div>
      )}
    </Card>
  )
}

function FailingOrigins({ failingOrigins: failing }: Facts) {
  if (!failing || failing.length === 0) return null
  return (
    <TableCard
      title="Failing origins of callbacks"
      columns={[
        'Origin',
        'Breaker',
        { name: 'In a row', class: 'num p2' },
        { name: 'Due', class: 'num' },
        { name: 'Dead', class: 'num' },
      ]}
      rows={failing.map(({ origin, breaker, failuresInRow, due, dead }) => [
        <a class="mono" href={withQuery('/callbacks', { origin })}>
          {origin}
        </a>,
        <Chip
          look={breaker === 'closed' ? ['alert', 'warn', 'Failing'] : ['rejected', 'bad', breaker]}
        />,
        count(failuresInRow),
        count(due),
        count(dead),
      ])}
    />
  )
}

function Backlog({ figures }: Facts) {
  const open = figures?.printJobs.filter(({ status }) => !isFinal(status)) ?? []
  const ordered = printJobStatuses.filter((status) => !isFinal(status))
  const most = Math.max(1, ...open.map((each) => each.count))
  const rows = ordered.map((status) => {
    const found = open.find((each) => each.status === status)
    const number = found?.count ?? 0
    return [
      <a href={withQuery('/print-jobs', { status })}>
        <StatusChip status={status} />
      </a>,
      count(number),
      <Meter part={number} all={most} name={statusName(status)} />,
      age(found?.oldestSeconds),
    ]
  })
  const { parked, held } = figures ?? {}
  if (held && held.count > 0) {
    rows.push([
      <a href="/print-jobs?only=held">
        <Chip look={['held', 'warn', 'Held']} />
      </a>,
      count(held.count),
      <Meter part={held.count} all={most} name="Held" tone="warn" />,
      age(held.oldestSeconds),
    ])
  }
  if (parked && parked.count > 0) {
    rows.push([
      <a href="/print-jobs?only=parked">
        <Chip look={['parked', 'bad', 'Parked']} />
      </a>,
      count(parked.count),
      <Meter part={parked.count} all={most} name="Parked" tone="bad" />,
      age(parked.oldestSeconds),
    ])
  }
  const total = open.reduce((sum, each) => sum + each.count, 0)
  return (
    <TableCard
      title="Backlog by stage"
      right={<span class="meta">{countOf(total, 'letter')}</span>}
      columns={[
        'Stage',
        { name: 'Letters', class: 'num' },
        { name: 'Bar', class: 'p2 wide-cell', isHidden: true },
        { name: 'Oldest', class: 'num' },
      ]}
      rows={figures && rows}
    />
  )
}

/** The consumers with the most letters before production, so that one that fills the queues is seen. */
function BacklogByConsumer({ backlogs }: Facts) {
  const most = Math.max(1, ...(backlogs ?? []).map(({ beforeProduction }) => beforeProduction))
  return (
    <TableCard
      title="Backlog by consumer"
      right={<a href="/consumers">All consumers</a>}
      columns={[
        'Consumer',
        { name: 'Before production', class: 'num' },
        { name: 'Bar', class: 'p2 wide-cell', isHidden: true },
        { name: 'In production', class: 'num' },
      ]}
      rows={backlogs?.map(({ consumerId, consumerName, beforeProduction, inProduction }) => [
        <a href={withQuery('/print-jobs', { consumerId, status: openStatuses })}>{consumerName}</a>,
        count(beforeProduction),
        <Meter part={beforeProduction} all={most} name={consumerName} />,
        count(inProduction),
      ])}
      empty="No consumer has letters that are not ended."
    />
  )
}

function FailingSteps({ failingSteps: steps }: Facts) {
  if (steps?.length === 0) return null
  return (
    <TableCard
      title="Failing steps"
      columns={[
        'Letter',
        'Status',
        'Failure',
        { name: 'Failures', class: 'num p2' },
        { name: 'Next', class: 'p2' },
        { name: 'Time', class: 'num' },
      ]}
      rows={steps?.map(({ printJobId, status, failure, failures, isParked, at }) => [
        letterLink(printJobId),
        <StatusChip status={status} />,
        failure,
        count(failures),
        isParked ? <Chip look={['parked', 'bad', 'Parked']} /> : 'retried',
        <Time at={at} />,
      ])}
    />
  )
}

function DeadCallbacks({ deadCallbacks: dead }: Facts) {
  if (dead?.length === 0) return null
  return (
    <TableCard
      title="Latest dead callbacks"
      right={<a href="/callbacks?status=DEAD">All dead callbacks</a>}
      columns={[
        'Says',
        'Letter',
        { name: 'Attempts', class: 'num p2' },
        { name: 'Last outcome', class: 'p2' },
        'Why it ended',
        { name: 'Time', class: 'num' },
      ]}
      rows={dead?.map(
        ({ callbackId, printJobId, kind, status, attempts, outcome, httpStatus, reason, at }) => [
          <a href={withQuery('/callbacks', { callback: callbackId })}>
            {status ? statusName(status) : kind}
          </a>,
          printJobId ? letterLink(printJobId) : null,
          count(attempts),
          [outcome ?? 'not tried', httpStatus ?? ''].join(' ').trim(),
          reason && callbackEndName(reason),
          <Time at={at} />,
        ],
      )}
    />
  )
}

function letterLink(printJobId: string) {
  return (
    <a class="mono" href={withQuery('/print-jobs', { find: printJobId })}>
      {printJobId}
    </a>
  )
}

// The page shows the concerns; this text is for screen readers.
let wasSilent = false
effect(() => {
  const { concerns } = facts.value ?? {}
  if (silence.value) announce(silence.value, { isRefusal: true })
  else if (wasSilent) announce('')
  wasSilent = silence.value !== ''
  if (wasSilent) return
  if (!facts.value) return
  if (!concerns) return announce('The database does not respond.', { isUnseen: true })
  const names = concerns.map(({ name }) => name)
  const text = names.length === 0 ? 'No problems.' : `Problems: ${names.join('; ')}.`
  announce(text, { isUnseen: true })
})

start(NowPage)
