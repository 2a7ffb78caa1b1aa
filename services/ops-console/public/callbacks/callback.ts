import type { CallbackSummaryWithLogResponse } from '@despatch/contracts/administration/callback'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { h, type JSX } from 'preact'
import { ask, withQuery } from '../parts/api.ts'
import { callbackChip, statusName } from '../parts/chips.ts'
import {
  type Banner,
  banner,
  body,
  button,
  card,
  copyable,
  copyButton,
  facts,
  head,
  icon,
  link,
  time,
} from '../parts/elements.ts'
import { count, countOf, duration } from '../parts/format.ts'
import { askFirst, questionOf } from '../parts/question.ts'
import type { Reading } from '../parts/reading.ts'
import { whyNotForMe } from '../parts/session.ts'

type Callback = CallbackSummaryWithLogResponse
type Attempt = Callback['log'][number]

const { replay } = callbackActions
/** Why a callback was given up. */
const ends: Readonly<Record<NonNullable<Callback['reason']>, string>> = {
  gone: 'The receiver answered 410: it wants no more callbacks of this letter.',
  refused: 'The receiver refused it for good.',
  unsendable: 'Its target may not be called, or its credentials cannot be sent.',
  'retries-off': 'The only attempt failed, and its consumer wants no retries.',
  'window-ended': 'Every attempt failed until its retry window ended.',
}

export function isOver({ status }: Callback): boolean {
  return status === 'DELIVERED' || status === 'DEAD'
}

export function standingOf({ callbackId, status }: Callback): string {
  return `Callback ${callbackId} is ${status}.`
}

/** One callback: what it says, each attempt with its answer, and how to send it again. */
export function callbackPage(reading: Reading<Callback>): JSX.Element[] {
  const callback = reading.facts()
  const crumbs = [{ path: '/callbacks', title: 'Callbacks' }]
  if (!callback) return [...head('Callback', { crumbs }), reading.absent('Callback')]
  const { callbackId, jobId, origin, status } = callback
  const says = sayingOf(callback)
  return [
    ...head(jobId ? [`${says}, for `, h('span', { class: 'mono' }, jobId)] : `${says} message`, {
      crumbs: [
        ...crumbs,
        {
          path: withQuery('/callbacks', { origin, status }),
          title: `${origin}, ${status.toLowerCase()}`,
        },
      ],
      beside: copyable(callbackId, 'callback id', 40),
    }),
    h(
      'div',
      { class: 'stack' },
      banner(bannerOf(callback)),
      h(
        'div',
        { class: 'cols wide-left' },
        h('div', { class: 'act-side' }, actionsOf(callback, reading)),
        h('div', { class: 'wide' }, attemptsOf(callback)),
        h('div', { class: 'fact-side' }, factsOf(callback)),
      ),
    ),
  ]
}

function sayingOf({ jobStatus, kind }: Callback): string {
  return jobStatus ? statusName(jobStatus) : kind === 'return' ? 'Returned' : 'Test'
}

function bannerOf(callback: Callback): Banner {
  const { status, endedAt, nextAttemptAt, windowEndsAt, userName, log, reason } = callback
  const line = [
    callbackChip(status, true),
    h('span', { class: 'meta' }, time(endedAt ?? nextAttemptAt ?? callback.createdAt)),
  ]
  const last = log.at(-1)
  switch (status) {
    case 'DELIVERED':
      return {
        line,
        say: last
          ? `Delivered, answered ${last.httpStatus ?? ''} in ${duration(last.durationMs)}.`
          : 'Delivered.',
      }
    case 'DEAD':
      return {
        line,
        tone: 'bad',
        say: reason ? ends[reason] : 'Given up.',
        why: {
          'Last attempt': last?.detail,
          Effect: `${userName} has not been notified. The letter itself is not affected.`,
          'What happens next': 'Nothing, until someone sends it again.',
        },
      }
    case 'DUE':
      return {
        line,
        ...(log.length > 0 && { tone: 'warn' as const }),
        say: [
          log.length > 0 ? 'It failed and is retried: ' : 'It is sent ',
          time(nextAttemptAt, 'relative'),
          '.',
        ],
        why: {
          'Last attempt': last?.detail,
          'What happens next': windowEndsAt && ['It is retried until ', time(windowEndsAt), '.'],
        },
      }
    default:
      return {
        line,
        say: 'It waits for an earlier callback.',
        why: { 'What happens next': 'It is sent when the earlier one is delivered or given up.' },
      }
  }
}

function actionsOf(
  { callbackId, origin, status }: Callback,
  reading: Reading<Callback>,
): JSX.Element {
  const whyNot = whyNotForMe(replay.operationId)
  const sendAgain = () =>
    askFirst(
      questionOf(replay, {
        title: 'Send 1 callback again?',
        button: 'Send 1 callback again',
        points: [`It goes to ${origin}.`],
        onSend: async () => {
          await ask('POST', actionPath(replay, callbackId))
          return { done: 'The callback will be sent again.', again: reading.again }
        },
      }),
    )
  return card(
    { title: 'Actions' },
    h(
      'div',
      { class: 'body actions' },
      whyNot === null &&
        button('Send this callback again…', sendAgain, {
          icon: 'redo',
          look: status === 'DEAD' ? 'full primary' : 'full',
        }),
      h(
        'a',
        { class: 'btn full', href: withQuery('/callbacks', { origin, status: 'DEAD' }) },
        icon('callbacks'),
        'Dead callbacks of this origin…',
      ),
      h(
        'p',
        { class: 'not' },
        whyNot && [h('b', {}, replay.label), `: ${whyNot} `],
        'It has the same id again, so a receiver that remembers ids does nothing twice.',
      ),
    ),
  )
}

function attemptsOf({ log, origin, callbackId }: Callback): JSX.Element {
  return card(
    { title: 'Attempts', meta: log.length > 0 && `${count(log.length)}, last first` },
    body(
      log.length === 0
        ? h('p', {}, 'No attempts yet.')
        : h(
            'ol',
            { class: 'time', 'aria-label': 'Attempts' },
            log.toReversed().map((each) => attemptItem(each, { origin, callbackId })),
          ),
    ),
  )
}

function attemptItem(
  made: Attempt,
  { origin, callbackId }: { origin: string; callbackId: string },
): JSX.Element {
  const isDelivered = made.outcome === 'delivered'
  const late = Date.parse(made.startedAt) - Date.parse(made.plannedAt)
  const answer = [
    made.httpStatus ? `HTTP ${made.httpStatus}` : made.detail,
    made.address && `address ${made.address}`,
    '',
    made.answer ?? '',
  ]
    .filter((line) => line !== undefined)
    .join('\n')
    .trim()
  const request = [
    `POST ${origin}/…`,
    'content-type: application/json',
    `webhook-id: ${callbackId}`,
    '',
    'The rest of the target, the credentials and the body are hidden: they are secret or personal.',
  ].join('\n')
  return h(
    'li',
    { class: isDelivered ? 'is-ok' : 'is-bad' },
    h('span', { class: 'at' }, time(made.startedAt, 'clock')),
    h('span', { class: 'mark' }, icon(isDelivered ? 'despatched' : 'rejected', 'g')),
    h(
      'div',
      {},
      h(
        'p',
        {},
        h('b', {}, `Attempt ${made.number}`),
        ` · ${duration(made.durationMs)} · ${made.detail}`,
      ),
      h(
        'p',
        { class: 'gap' },
        late > 1_000 ? `started ${duration(late)} after its time` : 'started on time',
        made.nextAttemptAt && [', next ', time(made.nextAttemptAt)],
      ),
      h(
        'details',
        {},
        h('summary', {}, 'Request and answer'),
        h(
          'div',
          { class: 'wire' },
          side('Request', request, `request of attempt ${made.number}`),
          side('Answer', answer, `answer to attempt ${made.number}`),
        ),
      ),
    ),
  )
}

function side(title: string, text: string, name: string): JSX.Element {
  return h('div', {}, h('h3', {}, title, copyButton(text, name)), h('pre', { tabIndex: 0 }, text))
}

function factsOf(callback: Callback): JSX.Element {
  return card(
    { title: 'Facts', right: link(withQuery('/audit', { about: callback.callbackId }), 'Audit') },
    body(
      facts({
        Consumer: link(
          withQuery('/consumers', { consumer: callback.consumerId }),
          callback.userName,
        ),
        Letter: callback.jobId
          ? link(withQuery('/print-jobs', { find: callback.jobId }), callback.jobId)
          : 'none: it is a test message',
        Origin: h('span', { class: 'mono' }, callback.origin),
        Sequence: count(callback.sequence),
        Attempts: countOf(callback.attempts, 'attempt'),
        'Sent again': countOf(callback.replays, 'time'),
        Created: time(callback.createdAt),
        'Next attempt': callback.nextAttemptAt && time(callback.nextAttemptAt),
        'Window ends': callback.windowEndsAt && time(callback.windowEndsAt),
        Ended: callback.endedAt && time(callback.endedAt),
      }),
    ),
  )
}
