import type { AllCallbacksResponse } from '@despatch/contracts/administration/callback'
import type { ReplayResultResponse } from '@despatch/contracts/print-request/callback'
import {
  type CallbackEndReason,
  callbackEndReasons,
  callbackStatusFilters,
} from '@despatch/domain/callback/callback-state'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, given, ownQuery, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { CallbackChip, callbackEndName, statusName } from '../parts/chips.tsx'
import { type Consumer, readConsumers } from '../parts/consumers.ts'
import { Button, Head, Skeleton, Time } from '../parts/elements.tsx'
import { fieldsOf } from '../parts/form.tsx'
import { count, countOf, dateIn, dayAfter, dayName, fromLondon, inFull } from '../parts/format.ts'
import { type Facts, facts } from '../parts/live.ts'
import { beginPaging } from '../parts/paging.tsx'
import { DayField, Pill } from '../parts/pill.tsx'
import { askFirst, irreversible } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { Table } from '../parts/table.tsx'
import { Answers } from './answers.tsx'
import { Attempts } from './attempts.tsx'
import { origins, originsCard } from './origins.tsx'
import { performanceCard, performances } from './performance.tsx'

/** The filter of the list, as the address of the page has it. Dates are London dates, and the last one is included. */
type Filter = {
  [Name in
    | 'status'
    | 'reason'
    | 'origin'
    | 'jobId'
    | 'consumerId'
    | 'createdFrom'
    | 'createdTo']?: string
}

const replayMany = callbackActions['replay-many']
const states = callbackStatusFilters.map((state) => [state, nameOf(state)] as const)
const { status, reason, origin, jobId, consumerId, createdFrom, createdTo } = ownQuery()
const filter = signal<Filter>(
  given({
    status: status ?? (jobId || consumerId ? '' : 'DEAD'),
    reason,
    origin,
    jobId,
    consumerId,
    createdFrom: dateIn(createdFrom),
    createdTo: dateIn(createdTo),
  }),
)
const consumers = signal<readonly Consumer[]>([])
const listed = beginPaging(load, ({ callbacks }) => `Callbacks shown: ${count(callbacks.length)}.`)
/** How many callbacks a replay would send again, with the filter for which they have been counted. */
const countable = signal<(ReplayResultResponse & { filter: Filter }) | undefined>()

function nameOf(state: string): string {
  return `${state.charAt(0)}${state.slice(1).toLowerCase()}`
}

/** Returns the filter as the API takes it. */
function asked({ createdFrom, createdTo, ...rest }: Filter) {
  return given({
    ...rest,
    createdFrom: createdFrom && fromLondon(`${createdFrom}T00:00`),
    createdTo: createdTo && fromLondon(`${dayAfter(createdTo)}T00:00`),
  })
}

function choose(changed: Filter): void {
  filter.value = given(changed)
  history.replaceState(null, '', withQuery('/callbacks', filter.value))
  listed.begin()
}

async function load(cursor: string | undefined): Promise<AllCallbacksResponse> {
  countable.value = undefined
  const { status = 'DEAD' } = filter.value
  if (status === 'DEAD') void attempt(countReplay)
  return ask('GET', withQuery('/callbacks', { ...asked(filter.value), cursor }))
}

/** Counts what matches the whole filter, not only this page. */
async function countReplay(): Promise<void> {
  if (whyNotForMe(replayMany.operationId) !== null) return
  const counted = filter.value
  const body = { ...asked(counted), dryRun: true }
  try {
    const result = await ask<ReplayResultResponse>('POST', actionPath(replayMany), body)
    if (counted === filter.value) countable.value = { ...result, filter: counted }
  } catch (error) {
    if (counted === filter.value) throw error
  }
}

/** The page of callbacks: which receivers fail, and what can be sent again. */
export function CallbacksPage() {
  useEffect(() => {
    origins.begin()
    performances.begin()
    listed.begin()
    void attempt(async () => {
      consumers.value = await readConsumers()
    })
  }, [])
  const live = facts.value
  return (
    <>
      <Head title="Callbacks" beside={<span class="meta">{live && failing(live)}</span>} />
      <div class="stack">
        {originsCard()}
        {performanceCard()}
        <div class="cols">
          {live ? <Attempts {...live} /> : <Skeleton title="Delivered and failed" />}
          {live ? <Answers {...live} /> : <Skeleton title="Time to answer" />}
        </div>
        <div>
          {filters()}
          {list()}
        </div>
      </div>
    </>
  )
}

function failing({ failingOrigins }: Facts): string {
  if (!failingOrigins) return ''
  const number = failingOrigins.length
  return number === 0
    ? 'No origin fails now.'
    : `${countOf(number, 'origin fails', 'origins fail')}.`
}

function filters() {
  const now = filter.value
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    choose({ ...now, ...fieldsOf(event.currentTarget as HTMLFormElement) })
  }
  const field = (name: 'origin' | 'jobId', label: string) => (
    <input
      class="filter-text"
      name={name}
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      defaultValue={now[name] ?? ''}
    />
  )
  return (
    <form class="filters" aria-label="Choose callbacks" onSubmit={submit}>
      <Pill
        name="Status"
        value={now.status ?? ''}
        options={states}
        onChange={(value) => choose({ ...now, status: value })}
      />
      <Pill
        name="Reason"
        value={now.reason ?? ''}
        options={callbackEndReasons.map((each) => [each, callbackEndName(each)])}
        onChange={(value) => choose({ ...now, reason: value })}
      />
      <Pill
        name="Consumer"
        value={now.consumerId ?? ''}
        options={consumers.value.map((each) => [each.consumerId, each.name])}
        onChange={(value) => choose({ ...now, consumerId: value })}
      />
      {field('origin', 'Origin')}
      {field('jobId', 'Letter id')}
      <DayField name="createdFrom" label="Created from" value={now.createdFrom} />
      <DayField name="createdTo" label="to" value={now.createdTo} />
      <button type="submit" class="btn small">
        Show
      </button>
    </form>
  )
}

function list() {
  const answer = listed.answer()
  if (!answer) return listed.absent('Callbacks')
  return (
    <section class="card" aria-label="Callbacks">
      {replayBar()}
      <Table
        caption={filter.value.status ? `Callbacks that are ${filter.value.status}` : 'Callbacks'}
        columns={[
          'Says',
          'Letter',
          { name: 'Consumer', class: 'p2' },
          'Status',
          { name: 'Origin', class: 'p3' },
          { name: 'Attempts', class: 'num p2' },
          { name: 'Created', class: 'num p2' },
          { name: 'Next or ended', class: 'num p3' },
        ]}
        rows={answer.callbacks.map((callback) => [
          <a href={withQuery('/callbacks', { callback: callback.callbackId })}>
            {callback.jobStatus
              ? statusName(callback.jobStatus)
              : nameOf(callback.kind.toUpperCase())}
            <span class="vh"> callback {callback.callbackId}</span>
          </a>,
          callback.jobId && (
            <a class="mono" href={withQuery('/print-jobs', { find: callback.jobId })}>
              {callback.jobId}
            </a>
          ),
          <a href={withQuery('/consumers', { consumer: callback.consumerId })}>
            {callback.userName}
          </a>,
          [
            <CallbackChip state={callback.status} />,
            callback.reason && <span class="sub">{callbackEndName(callback.reason)}</span>,
          ],
          <span class="mono">{callback.origin}</span>,
          count(callback.attempts),
          <Time at={callback.createdAt} />,
          <Time at={callback.nextAttemptAt ?? callback.endedAt} />,
        ])}
        empty="No callback matches. Choose another status, or any."
      />
      {listed.footer()}
    </section>
  )
}

/** Replays only as many as were counted. */
function replayBar() {
  const whyNot = whyNotForMe(replayMany.operationId)
  if (whyNot) {
    return (
      <div class="selection">
        {replayMany.label}: {whyNot}
      </div>
    )
  }
  if (!countable.value) {
    return (
      <div class="selection">
        <Button onClick={() => void attempt(countReplay)} look="small">
          Count what can be sent again
        </Button>
      </div>
    )
  }
  const counted = countable.value
  const number = counted.count
  if (number === 0) return null
  const what = filter.value.status ? 'callbacks that match' : 'dead callbacks that match'
  return (
    <div class="selection">
      <span>
        Fixed at the other end? Send all {count(number)} {what} again, not only this page.
      </span>
      <span class="right">
        <Button onClick={() => replayAll(counted)} icon="redo" look="small primary">
          Send {count(number)} again…
        </Button>
      </span>
    </div>
  )
}

function inWords({
  status,
  reason,
  origin,
  jobId,
  consumerId,
  createdFrom,
  createdTo,
}: Filter): string {
  const consumer = consumers.value.find((each) => each.consumerId === consumerId)
  return [
    status && nameOf(status),
    reason && callbackEndName(reason as CallbackEndReason),
    consumerId && `of ${consumer?.name ?? consumerId}`,
    origin && `to ${origin}`,
    jobId && `of letter ${jobId}`,
    createdFrom && `created from ${dayName(createdFrom)}`,
    createdTo && `created until ${dayName(createdTo)}`,
  ]
    .filter(Boolean)
    .join(', ')
}

function replayAll({
  count: number,
  oldest,
  filter: sent,
}: NonNullable<typeof countable.value>): void {
  askFirst({
    title: `Send ${countOf(number, 'callback')} again?`,
    button: `Send ${count(number)} again`,
    isDanger: true,
    points: [
      replayMany.effect,
      Object.entries(sent).length > 0 &&
        `Only these: ${inWords(sent)}. Other callbacks are not touched.`,
      oldest && `The oldest is of ${inFull(oldest)}.`,
      'It has the same id again, so a receiver that remembers ids does nothing twice.',
      irreversible,
    ],
    ...(number > 1 && { typed: { count: number, of: 'callbacks' } }),
    onSend: async () => {
      const body = { ...asked(sent), expectedCount: number }
      const done = await ask<ReplayResultResponse>('POST', actionPath(replayMany), body)
      return { done: `${countOf(done.count, 'callback')} will be sent again.`, again: listed.again }
    },
  })
}
