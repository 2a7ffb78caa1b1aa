import { ask, withQuery } from './api.js'
import { description } from './description.js'
import { bringUpToDate, contents, element, tell } from './dom.js'
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
let toldQuarters = 0

await begin(query.bulk ? follow : () => showList())

async function showList(cursor) {
  const answer = await ask('GET', withQuery('/bulk-actions', { cursor }))
  contents().replaceChildren(
    element(
      'p',
      {},
      'A bulk action is planned from print jobs that were selected on ',
      element('a', { href: '/print-jobs' }, 'Find'),
      '.',
    ),
    table({
      caption: 'Bulk actions, the newest first',
      isText: true,
      columns: ['Planned', 'Action', 'Print jobs', 'State', 'By', 'Confirmed by', 'Done', 'Why'],
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
      empty: 'There is none yet.',
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
  const isTold = await attempt(async () => show(await ask('GET', path)))
  // the error message stays until there is another message
  if (!isTold) {
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
    tell(sentenceOf(bulk))
  } else if (bulk.state === 'RUNNING') tellQuarters(bulk)
  shownState = bulk.state
}

/** Announces progress at each quarter. A screen reader could not keep up with more. */
function tellQuarters({ printJobCount, progress }) {
  const quarters = Math.floor((4 * (printJobCount - progress.left)) / printJobCount)
  if (quarters === toldQuarters) return
  toldQuarters = quarters
  tell(`${count(printJobCount - progress.left)} of ${count(printJobCount)}.`)
}

function sentenceOf({ state, printJobCount, progress, possibleCount }) {
  const all = `${count(printJobCount)} print jobs`
  switch (state) {
    case 'PLANNED':
      return `${all}, possible now with ${count(possibleCount)}. Nothing is done until it is confirmed.`
    case 'RUNNING':
      return `Under way: ${all}.`
    case 'EXPIRED':
      return 'Nobody confirmed it within 24 hours: nothing was done.'
    default:
      return `${state === 'ENDED' ? 'Ended' : 'Stopped'}: done ${count(progress.done)} of ${all}.`
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
      Why: bulk.reason,
      'Planned by': `${bulk.plannedBy}, ${moment(bulk.plannedAt)}`,
      ...(bulk.expiresAt && { 'To be confirmed until': moment(bulk.expiresAt) }),
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
    'Not possible when it was their turn': progress.refused,
    'No such print job': progress.absent,
    'Not begun': progress.notBegun,
    Left: progress.left,
    'Tried again after a failure': progress.failing,
  }
  return {
    Done: progress.done,
    ...Object.fromEntries(Object.entries(others).filter(([, number]) => number > 0)),
  }
}

function stepsOf(bulk) {
  if (bulk.state === 'RUNNING') return [stopForm('Stop', 'What was done stays done.')]
  if (bulk.state !== 'PLANNED') return []
  const withdraw = stopForm('Withdraw the plan', 'Nobody can confirm it then.')
  if (bulk.needsSecondPerson && bulk.plannedBy === me) {
    const wanted = `${count(bulk.printJobCount)} print jobs want a second person: another operator confirms on this page.`
    return [element('p', { class: 'concern' }, wanted), withdraw]
  }
  return [confirmForm(bulk), withdraw]
}

/** The operator types the count, so that nobody confirms without reading it. */
function confirmForm({ action, digest, printJobCount }) {
  return form({
    label: 'Confirm',
    button: `${printJobActions[action].label}: begin now`,
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
        'Type the count that stands above',
      ),
    ],
    onsend: async ({ typed }) => {
      if (Number(typed) !== printJobCount) {
        tell(`It is ${count(printJobCount)} print jobs, not ${typed}. Nothing is done.`, {
          isRefusal: true,
        })
        return
      }
      show(await ask('POST', `${path}/confirm`, { digest, printJobCount }))
    },
  })
}

function stopForm(button, consequence) {
  return form({
    label: button,
    button,
    fields: [element('p', {}, consequence)],
    onsend: async () => show(await ask('POST', `${path}/stop`)),
  })
}

function resultsOf({ state, items }) {
  return table({
    caption: state === 'PLANNED' ? 'Print jobs' : 'Print jobs, and what became of them',
    isText: true,
    columns: ['Print job', 'Consumer', 'Status now', 'Outcome', 'Why not', 'When'],
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
  return failures ? `failed ${count(failures)} times (${failure}), tried again` : 'to do'
}
