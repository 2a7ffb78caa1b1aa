import { ask, withQuery } from './api.js'
import { description } from './description.js'
import { announce, bringUpToDate, contents, element } from './dom.js'
import { printJobActions } from './domain.js'
import { count, moment } from './format.js'
import { attempt, begin, field, form } from './frame.js'
import { table } from './table.js'

const query = Object.fromEntries(new URLSearchParams(location.search))
const path = `/bulk-actions/${encodeURIComponent(query.bulk ?? '')}`
// a plan is polled too, because another operator may confirm it
const pollMs = { PLANNED: 5_000, RUNNING: 1_000 }
const facts = element('div', {})
const steps = element('div', {})
const results = element('div', {})
let me
let timer
let shownState
let announcedQuarters = 0

await begin(query.bulk ? follow : () => showList())

async function showList(cursor) {
  const answer = await ask('GET', withQuery('/bulk-actions', { cursor }))
  contents().replaceChildren(
    element(
      'p',
      {},
      'To plan a bulk action, select print jobs on ',
      element('a', { href: '/print-jobs' }, 'Find'),
      '.',
    ),
    table({
      caption: 'Bulk actions, newest first',
      isText: true,
      columns: ['Planned', 'Action', 'Print jobs', 'State', 'By', 'Confirmed by', 'Done', 'Reason'],
      rows: answer.bulkActions.map((bulk) => [
        element(
          'a',
          { href: withQuery('/bulk-actions', { bulk: bulk.bulkActionId }) },
          moment(bulk.plannedAt),
        ),
        printJobActions[bulk.action].label,
        count(bulk.printJobCount),
        stateOf(bulk),
        bulk.plannedBy,
        bulk.confirmedBy,
        count(bulk.progress.done),
        bulk.reason,
      ]),
      empty: 'There are no bulk actions.',
    }),
    answer.nextCursor
      ? element(
          'button',
          { type: 'button', onclick: () => attempt(() => showList(answer.nextCursor)) },
          'Next bulk actions',
        )
      : '',
  )
}

/** Shows one action and updates it until it has ended, while the page is visible. */
async function follow(session) {
  me = session?.userName
  contents().append(facts, steps, results)
  document.addEventListener('visibilitychange', () => {
    if (shownState === undefined || pollMs[shownState]) void look()
  })
  await look()
}

async function look() {
  clearTimeout(timer)
  if (document.hidden) return
  const isAnnounced = await attempt(async () => show(await ask('GET', path)))
  // the error message stays until there is another message
  if (!isAnnounced) {
    shownState = undefined
    timer = setTimeout(look, pollMs.PLANNED)
  }
}

function show(bulk) {
  clearTimeout(timer)
  if (pollMs[bulk.state]) timer = setTimeout(look, pollMs[bulk.state])
  bringUpToDate(facts, element('div', {}, factsOf(bulk)))
  bringUpToDate(results, element('div', {}, resultsOf(bulk)))
  if (bulk.state !== shownState) {
    const hadFocus = steps.contains(document.activeElement)
    steps.replaceChildren(...stepsOf(bulk))
    if (hadFocus) document.getElementById('main').focus()
    announce(sentenceOf(bulk))
  } else if (bulk.state === 'RUNNING') announceQuarters(bulk)
  shownState = bulk.state
}

/** Announces progress at each quarter. A screen reader could not keep up with more. */
function announceQuarters({ printJobCount, progress }) {
  const quarters = Math.floor((4 * (printJobCount - progress.left)) / printJobCount)
  if (quarters === announcedQuarters) return
  announcedQuarters = quarters
  announce(`${count(printJobCount - progress.left)} of ${count(printJobCount)}.`)
}

function sentenceOf({ state, printJobCount, progress, possibleCount }) {
  const all = `${count(printJobCount)} print jobs`
  switch (state) {
    case 'PLANNED':
      return `${all}, possible now: ${count(possibleCount)}. Nothing happens until the plan is confirmed.`
    case 'RUNNING':
      return `Running: ${all}.`
    case 'EXPIRED':
      return 'The plan was not confirmed within 24 hours. Nothing was done.'
    default:
      return `${state === 'ENDED' ? 'Ended' : 'Stopped'}: ${count(progress.done)} of ${all} done.`
  }
}

function stateOf({ state, progress }) {
  return progress.failing > 0 ? `${state}, ${count(progress.failing)} failing` : state
}

function factsOf(bulk) {
  const { printJobCount, progress } = bulk
  const settled = printJobCount - progress.left
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'bulk' },
    element(
      'h2',
      { id: 'bulk' },
      `${printJobActions[bulk.action].label}: ${count(printJobCount)} print jobs`,
    ),
    bulk.state === 'RUNNING'
      ? element('progress', { max: printJobCount, value: settled, 'aria-label': 'Progress' })
      : null,
    description({
      State: stateOf(bulk),
      Reason: bulk.reason,
      'Planned by': `${bulk.plannedBy}, ${moment(bulk.plannedAt)}`,
      ...(bulk.expiresAt && { 'Confirm before': moment(bulk.expiresAt) }),
      ...(bulk.confirmedBy && {
        'Confirmed by': `${bulk.confirmedBy}, ${moment(bulk.confirmedAt)}`,
      }),
      ...(bulk.stoppedBy && { 'Stopped by': `${bulk.stoppedBy}, ${moment(bulk.stoppedAt)}` }),
      ...(bulk.endedAt && { Ended: moment(bulk.endedAt) }),
      ...(bulk.possibleCount !== undefined && {
        'Possible now': bulk.possibleCount,
        'Not possible now': printJobCount - bulk.possibleCount,
      }),
      ...progressOf(bulk),
    }),
  )
}

/** Returns the progress. Print jobs that were not done are listed only if there are any. */
function progressOf({ state, progress }) {
  if (state === 'PLANNED' || state === 'EXPIRED') return {}
  const others = {
    Refused: progress.refused,
    'Not found': progress.absent,
    'Not started': progress.notBegun,
    Remaining: progress.left,
    'Retrying after a failure': progress.failing,
  }
  return {
    Done: progress.done,
    ...Object.fromEntries(Object.entries(others).filter(([, number]) => number > 0)),
  }
}

function stepsOf(bulk) {
  if (bulk.state === 'RUNNING') return [stopForm('Stop', 'Print jobs that are done stay done.')]
  if (bulk.state !== 'PLANNED') return []
  const withdraw = stopForm('Withdraw the plan', 'The plan can then no longer be confirmed.')
  if (bulk.needsSecondPerson && bulk.plannedBy === me) {
    const wanted = `${count(bulk.printJobCount)} print jobs require a second person: another operator must confirm on this page.`
    return [element('p', { class: 'concern' }, wanted), withdraw]
  }
  return [confirmForm(bulk), withdraw]
}

/** The operator types the count, so that nobody confirms without reading it. */
function confirmForm({ action, digest, printJobCount }) {
  return form({
    action: { operationId: 'confirmBulkAction' },
    label: 'Confirm',
    button: `${printJobActions[action].label}: start now`,
    isDanger: true,
    fields: [
      field(
        'How many print jobs?',
        element('input', {
          name: 'typed',
          required: true,
          inputmode: 'numeric',
          pattern: '[0-9]{1,4}',
          autocomplete: 'off',
        }),
        'Type the count shown above',
      ),
    ],
    onsend: async ({ typed }) => {
      if (Number(typed) !== printJobCount) {
        announce(
          `The plan has ${count(printJobCount)} print jobs, not ${typed}. Nothing was done.`,
          {
            isRefusal: true,
          },
        )
        return
      }
      show(await ask('POST', `${path}/confirm`, { digest, printJobCount }))
    },
  })
}

function stopForm(button, consequence) {
  return form({
    action: { operationId: 'stopBulkAction' },
    label: button,
    button,
    fields: [element('p', {}, consequence)],
    onsend: async () => show(await ask('POST', `${path}/stop`)),
  })
}

function resultsOf({ state, items }) {
  return table({
    caption: state === 'PLANNED' ? 'Print jobs' : 'Print jobs and outcomes',
    isText: true,
    columns: ['Print job', 'Consumer', 'Current status', 'Outcome', 'Why not', 'Time'],
    rows: items.map((item) => [
      item.printJobId
        ? element(
            'a',
            { href: withQuery('/print-job', { key: item.printJobKey }) },
            item.printJobId,
          )
        : item.printJobKey,
      item.userName,
      item.status,
      outcomeOf(item),
      item.whyNot,
      moment(item.at ?? item.retryAt),
    ]),
  })
}

function outcomeOf({ outcome, isPossible, failures, failure }) {
  if (outcome) return outcome
  if (isPossible !== undefined) return isPossible ? 'possible' : 'not possible'
  return failures ? `failed ${count(failures)} times (${failure}), retrying` : 'to do'
}
