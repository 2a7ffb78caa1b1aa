import { actionFields } from './action-fields.js'
import { ask, withQuery } from './api.js'
import { attemptsTable } from './callback-attempts.js'
import { description } from './description.js'
import { announce, contents, element } from './dom.js'
import { actionPath, callbackActions, callbackStates } from './domain.js'
import { count, moment } from './format.js'
import { attempt, begin, choice, field, form } from './frame.js'
import { table } from './table.js'

const { replay, 'replay-many': replayMany } = callbackActions
const query = Object.fromEntries(new URLSearchParams(location.search))
const origins = element('div', {})
const chosen = element('div', {})
const one = element('div', {})

await begin(async () => {
  contents().append(one, origins, choose(), chosen)
  await Promise.all([
    attempt(showOrigins),
    attempt(() => showList({ status: 'DEAD', ...query })),
    query.callback && attempt(() => showOne(query.callback)),
  ])
})

async function showOrigins(cursor) {
  const answer = await ask('GET', withQuery('/callback-origins', { cursor }))
  origins.replaceChildren(
    table({
      caption: 'Origins',
      isText: true,
      isFitting: true,
      columns: [
        'Origin',
        'Breaker',
        'Failures in a row',
        'Due',
        'Oldest due',
        'Dead',
        'Last success',
        'Last failure',
      ],
      rows: answer.origins.map((origin) => [
        element('a', { href: withQuery('/callbacks', { origin: origin.origin }) }, origin.origin),
        origin.breakerUntil
          ? `${origin.breaker} until ${moment(origin.breakerUntil)}`
          : origin.breaker,
        count(origin.failuresInRow),
        count(origin.due),
        moment(origin.oldestDueAt),
        count(origin.dead),
        moment(origin.lastSuccessAt),
        [moment(origin.lastFailureAt), origin.lastOutcome ?? ''].join(' ').trim(),
      ]),
      empty: 'No origin has due, dead or failing callbacks.',
    }),
    more(answer.nextCursor, showOrigins, 'Next origins') ?? '',
  )
}

function choose() {
  const status = choice('status', callbackStates)
  status.value = query.status ?? 'DEAD'
  return form({
    label: 'Choose callbacks',
    button: 'Show',
    onsend: showList,
    fields: [
      field('Status', status),
      field(
        'Origin',
        element('input', {
          name: 'origin',
          value: query.origin,
          placeholder: 'https://example.org',
        }),
      ),
      field('Print job', element('input', { name: 'jobId', value: query.jobId })),
      field('Consumer id', element('input', { name: 'consumerId', value: query.consumerId })),
    ],
  })
}

async function showList({ status, origin, jobId, consumerId, cursor }) {
  const filter = { status, origin, jobId, consumerId }
  const answer = await ask('GET', withQuery('/callbacks', { ...filter, cursor }))
  chosen.replaceChildren(
    table({
      caption: `Callbacks${status ? ` that are ${status}` : ''}`,
      isText: true,
      isFitting: true,
      columns: [
        'Callback',
        'Consumer',
        'Print job',
        'Event',
        'Status',
        'Reason',
        'Attempts',
        'Origin',
        'Created',
        'Next attempt',
      ],
      rows: answer.callbacks.map((callback) => [
        element(
          'a',
          { href: withQuery('/callbacks', { callback: callback.callbackId }) },
          callback.callbackId,
        ),
        callback.userName,
        callback.jobId &&
          element(
            'a',
            { href: withQuery('/print-jobs', { find: callback.jobId }) },
            callback.jobId,
          ),
        callback.jobStatus ?? callback.kind,
        callback.status,
        callback.reason,
        count(callback.attempts),
        callback.origin,
        moment(callback.createdAt),
        moment(callback.nextAttemptAt),
      ]),
    }),
    more(answer.nextCursor, (next) => showList({ ...filter, cursor: next }), 'Next callbacks') ??
      '',
    replayForm(filter),
  )
  announce(`Callbacks shown: ${count(answer.callbacks.length)}.`)
}

/** Counts first, and then sends again only as many as it counted. */
function replayForm(filter) {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value))
  const step = element('div', {})
  const counting = form({
    action: replayMany,
    label: 'Count callbacks to send again',
    button: 'Count callbacks to send again',
    fields: [],
    onsend: async () => {
      const { count: expected, oldest } = await ask('POST', actionPath(replayMany), {
        ...given,
        dryRun: true,
      })
      announce(`${count(expected)} callbacks would be sent again.`)
      if (expected === 0) return step.replaceChildren()
      const sending = form({
        action: replayMany,
        label: 'Confirm',
        button: `Send ${count(expected)} again`,
        isDanger: true,
        fields: [
          element('p', {}, `${count(expected)} callbacks, the oldest of ${moment(oldest)}.`),
        ],
        onsend: async () => {
          const sent = await ask('POST', actionPath(replayMany), {
            ...given,
            expectedCount: expected,
          })
          step.replaceChildren()
          await showList(filter)
          announce(`${count(sent.count)} callbacks will be sent again.`)
        },
      })
      step.replaceChildren(sending)
    },
  })
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'replay-many' },
    element('h2', { id: 'replay-many' }, 'Send callbacks again'),
    element(
      'p',
      { class: 'note' },
      'Applies to all callbacks that match the filter above, not only to this page. Without a status: dead callbacks.',
    ),
    counting,
    step,
  )
}

async function showOne(callbackId) {
  const callback = await ask('GET', `/callbacks/${encodeURIComponent(callbackId)}`)
  const facts = {
    Consumer: callback.userName,
    'Print job': callback.jobId ?? 'none (test message)',
    Event: callback.jobStatus ?? callback.kind,
    Status: [callback.status, callback.reason].filter(Boolean).join(', '),
    Origin: callback.origin,
    Created: moment(callback.createdAt),
    'Next attempt': moment(callback.nextAttemptAt),
    Replays: count(callback.replays),
  }
  one.replaceChildren(
    element(
      'section',
      { class: 'card', 'aria-labelledby': 'one' },
      element('h2', { id: 'one' }, `Callback ${callbackId}`),
      description(facts),
      form({
        action: replay,
        label: 'Send again',
        button: replay.label,
        fields: actionFields(replay),
        onsend: async () => {
          await ask('POST', actionPath(replay, callbackId))
          await showOne(callbackId)
          announce('The callback will be sent again.')
        },
      }),
    ),
    attemptsTable(callback.log),
  )
}

function more(cursor, show, label) {
  if (!cursor) return undefined
  return element('button', { type: 'button', onclick: () => attempt(() => show(cursor)) }, label)
}
