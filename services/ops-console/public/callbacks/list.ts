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
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, given, ownQuery, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { callbackChip, callbackEndName, statusName } from '../parts/chips.ts'
import { type Consumer, readConsumers } from '../parts/consumers.ts'
import { button, head, link, skeleton, time } from '../parts/elements.ts'
import { fieldsOf } from '../parts/form.ts'
import { count, countOf, dateIn, dayAfter, dayName, fromLondon, inFull } from '../parts/format.ts'
import { type Facts, facts } from '../parts/live.ts'
import { beginPaging } from '../parts/paging.ts'
import { dayField, pill } from '../parts/pill.ts'
import { askFirst, irreversible } from '../parts/question.ts'
import { whyNotForMe } from '../parts/session.ts'
import { table } from '../parts/table.ts'
import { answersCard } from './answers.ts'
import { attemptsCard } from './attempts.ts'
import { origins, originsCard } from './origins.ts'
import { performanceCard, performances } from './performance.ts'

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
export function CallbacksPage(): JSX.Element[] {
  useEffect(() => {
    origins.begin()
    performances.begin()
    listed.begin()
    void attempt(async () => {
      consumers.value = await readConsumers()
    })
  }, [])
  const live = facts.value
  return [
    ...head('Callbacks', { beside: h('span', { class: 'meta' }, live && failing(live)) }),
    h(
      'div',
      { class: 'stack' },
      originsCard(),
      performanceCard(),
      h(
        'div',
        { class: 'cols' },
        live ? attemptsCard(live) : skeleton('Delivered and failed'),
        live ? answersCard(live) : skeleton('Time to answer'),
      ),
      h('div', {}, filters(), list()),
    ),
  ]
}

function failing({ failingOrigins }: Facts): string {
  if (!failingOrigins) return ''
  const number = failingOrigins.length
  return number === 0
    ? 'No origin fails now.'
    : `${countOf(number, 'origin fails', 'origins fail')}.`
}

function filters(): JSX.Element {
  const now = filter.value
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    choose({ ...now, ...fieldsOf(event.currentTarget as HTMLFormElement) })
  }
  const field = (name: 'origin' | 'jobId', label: string) =>
    h('input', {
      class: 'filter-text',
      name,
      'aria-label': label,
      placeholder: label,
      autoComplete: 'off',
      defaultValue: now[name] ?? '',
    })
  return h(
    'form',
    { class: 'filters', 'aria-label': 'Choose callbacks', onSubmit: submit },
    pill('Status', now.status ?? '', states, (value) => choose({ ...now, status: value })),
    pill(
      'Reason',
      now.reason ?? '',
      callbackEndReasons.map((each) => [each, callbackEndName(each)]),
      (value) => choose({ ...now, reason: value }),
    ),
    pill(
      'Consumer',
      now.consumerId ?? '',
      consumers.value.map((each) => [each.consumerId, each.name]),
      (value) => choose({ ...now, consumerId: value }),
    ),
    field('origin', 'Origin'),
    field('jobId', 'Letter id'),
    dayField('createdFrom', 'Created from', now.createdFrom),
    dayField('createdTo', 'to', now.createdTo),
    h('button', { type: 'submit', class: 'btn small' }, 'Show'),
  )
}

function list(): JSX.Element {
  const answer = listed.answer()
  if (!answer) return listed.absent('Callbacks')
  return h(
    'section',
    { class: 'card', 'aria-label': 'Callbacks' },
    replayBar(),
    table({
      caption: filter.value.status ? `Callbacks that are ${filter.value.status}` : 'Callbacks',
      columns: [
        'Says',
        'Letter',
        { name: 'Consumer', class: 'p2' },
        'Status',
        { name: 'Origin', class: 'p3' },
        { name: 'Attempts', class: 'num p2' },
        { name: 'Created', class: 'num p2' },
        { name: 'Next or ended', class: 'num p3' },
      ],
      rows: answer.callbacks.map((callback) => [
        link(
          withQuery('/callbacks', { callback: callback.callbackId }),
          callback.jobStatus ? statusName(callback.jobStatus) : nameOf(callback.kind.toUpperCase()),
          h('span', { class: 'vh' }, ` callback ${callback.callbackId}`),
        ),
        callback.jobId &&
          h(
            'a',
            { class: 'mono', href: withQuery('/print-jobs', { find: callback.jobId }) },
            callback.jobId,
          ),
        link(withQuery('/consumers', { consumer: callback.consumerId }), callback.userName),
        [
          callbackChip(callback.status),
          callback.reason && h('span', { class: 'sub' }, callbackEndName(callback.reason)),
        ],
        h('span', { class: 'mono' }, callback.origin),
        count(callback.attempts),
        time(callback.createdAt),
        time(callback.nextAttemptAt ?? callback.endedAt),
      ]),
      empty: 'No callback matches. Choose another status, or any.',
    }),
    listed.footer(),
  )
}

/** Replays only as many as were counted. */
function replayBar(): JSX.Element | null {
  const whyNot = whyNotForMe(replayMany.operationId)
  if (whyNot) return h('div', { class: 'selection' }, `${replayMany.label}: ${whyNot}`)
  if (!countable.value) {
    return h(
      'div',
      { class: 'selection' },
      button('Count what can be sent again', () => void attempt(countReplay), { look: 'small' }),
    )
  }
  const counted = countable.value
  const number = counted.count
  if (number === 0) return null
  const what = filter.value.status ? 'callbacks that match' : 'dead callbacks that match'
  return h(
    'div',
    { class: 'selection' },
    h(
      'span',
      {},
      `Fixed at the other end? Send all ${count(number)} ${what} again, not only this page.`,
    ),
    h(
      'span',
      { class: 'right' },
      button(`Send ${count(number)} again…`, () => replayAll(counted), {
        icon: 'redo',
        look: 'small primary',
      }),
    ),
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
