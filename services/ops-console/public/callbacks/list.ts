import type { AllCallbacksResponse } from '@despatch/contracts/administration/callback'
import type { ReplayResultResponse } from '@despatch/contracts/print-request/callback'
import { callbackEndReasons, callbackStatusFilters } from '@despatch/domain/callback/callback-state'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, given, ownQuery, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { callbackChip, callbackEndName, statusName } from '../parts/chips.ts'
import { button, head, link, skeleton, time } from '../parts/elements.ts'
import { count, countOf, inFull } from '../parts/format.ts'
import { type Facts, facts } from '../parts/live.ts'
import { beginPaging } from '../parts/paging.ts'
import { pill } from '../parts/pill.ts'
import { askFirst, irreversible } from '../parts/question.ts'
import { whyNotForMe } from '../parts/session.ts'
import { table } from '../parts/table.ts'
import { answersCard } from './answers.ts'
import { attemptsCard } from './attempts.ts'
import { origins, originsCard } from './origins.ts'
import { performanceCard, performances } from './performance.ts'

type Filter = {
  status?: string
  reason?: string
  origin?: string
  jobId?: string
  consumerId?: string
}

const replayMany = callbackActions['replay-many']
const states = callbackStatusFilters.map((state) => [state, nameOf(state)] as const)
const { status, reason, origin, jobId, consumerId } = ownQuery()
const filter = signal<Filter>(
  given({
    status: status ?? (jobId || consumerId ? '' : 'DEAD'),
    reason,
    origin,
    jobId,
    consumerId,
  }),
)
const listed = beginPaging(load, ({ callbacks }) => `Callbacks shown: ${count(callbacks.length)}.`)
/** How many callbacks a replay would send again, with the filter for which they have been counted. */
const countable = signal<(ReplayResultResponse & { filter: Filter }) | undefined>()

function nameOf(state: string): string {
  return `${state.charAt(0)}${state.slice(1).toLowerCase()}`
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
  return ask('GET', withQuery('/callbacks', { ...filter.value, cursor }))
}

/** Counts what matches the whole filter, not only this page. */
async function countReplay(): Promise<void> {
  if (whyNotForMe(replayMany.operationId) !== null) return
  const asked = filter.value
  const body = { ...asked, dryRun: true }
  try {
    const counted = await ask<ReplayResultResponse>('POST', actionPath(replayMany), body)
    if (asked === filter.value) countable.value = { ...counted, filter: asked }
  } catch (error) {
    if (asked === filter.value) throw error
  }
}

/** Whose end is broken, and what can be sent again. */
export function CallbacksPage(): JSX.Element[] {
  useEffect(() => {
    origins.begin()
    performances.begin()
    listed.begin()
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
    ? 'Every origin answers.'
    : `${countOf(number, 'origin fails', 'origins fail')}.`
}

function filters(): JSX.Element {
  const now = filter.value
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string) => String(form.get(name)).trim()
    choose({
      ...now,
      origin: text('origin'),
      jobId: text('jobId'),
      consumerId: text('consumerId'),
    })
  }
  const field = (name: 'origin' | 'jobId' | 'consumerId', label: string) =>
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
    field('origin', 'Origin'),
    field('jobId', 'Letter id'),
    field('consumerId', 'Consumer id'),
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
        `Only these: ${Object.values(sent).join(', ')}. Other callbacks are not touched.`,
      oldest && `The oldest is of ${inFull(oldest)}.`,
      'It has the same id again, so a receiver that remembers ids does nothing twice.',
      irreversible,
    ],
    ...(number > 1 && { typed: { count: number, of: 'callbacks' } }),
    onSend: async () => {
      const body = { ...sent, expectedCount: number }
      const done = await ask<ReplayResultResponse>('POST', actionPath(replayMany), body)
      return { done: `${countOf(done.count, 'callback')} will be sent again.`, again: listed.again }
    },
  })
}
