import { leadToSignIn, withQuery } from './api.js'
import { announce, bringUpToDate, contents, element } from './dom.js'
import { age, count, moment, zone } from './format.js'
import { begin } from './frame.js'
import { plot } from './plot.js'
import { table } from './table.js'
import { batches, waitingLetters } from './work.js'

const staleMs = 5_000
let lastAt = performance.now()
const notice = document.getElementById('notice')

await begin(async () => {
  const events = new EventSource('/events')
  events.addEventListener('facts', ({ data }) => {
    lastAt = performance.now()
    show(JSON.parse(data))
  })
  events.addEventListener('signed-out', () => {
    events.close()
    leadToSignIn()
  })
  setInterval(watch, 1_000, events)
})

// After a refusal the browser never reconnects the stream. Reloading the page opens a new one.
function watch(events) {
  if (performance.now() - lastAt < staleMs) return
  document.body.classList.add('stale')
  notice.classList.remove('unseen')
  announce('No response. These figures are out of date.')
  if (events.readyState !== EventSource.CLOSED) return
  lastAt = performance.now()
  void explainSilence().then((reason) =>
    announce(`No response. These figures are out of date. ${reason}`),
  )
  setTimeout(reopen, staleMs)
}

async function reopen() {
  const answer = await fetch('/health/ready').catch(() => undefined)
  if (answer?.ok) location.reload()
}

async function explainSilence() {
  try {
    const { checks } = await (await fetch('/health/ready')).json()
    const failing = checks.filter(({ ok }) => !ok).map(({ name, reason }) => `${name}: ${reason}`)
    return failing.length > 0 ? `Failing checks: ${failing.join('; ')}.` : ''
  } catch {
    return 'Despatch does not respond.'
  }
}

function show(facts) {
  document.body.classList.remove('stale')
  const page = element(
    'div',
    {},
    element('p', { class: 'note' }, `As of ${moment(facts.at)} ${zone(facts.at)}.`),
    concernsOf(facts),
    element(
      'div',
      { class: 'columns' },
      printJobs(facts),
      flow(facts),
      printRuns(facts),
      waitingLetters(facts),
      queues(facts),
      callbacks(facts),
      origins(facts),
    ),
    batches(facts),
    failingSteps(facts),
    deadCallbacks(facts),
  )
  bringUpToDate(contents(), page)
  announceConcerns(facts)
}

// The page shows the concerns; this text is for screen readers.
function announceConcerns({ concerns }) {
  notice.classList.add('unseen')
  if (!concerns) return announce('The database does not respond.')
  const names = concerns.map(({ what }) => what.split(': ')[0])
  announce(names.length === 0 ? 'No problems.' : `Problems: ${names.join('; ')}.`)
}

function concernsOf({ concerns }) {
  if (!concerns) {
    return element(
      'section',
      { class: 'concern' },
      element('h2', {}, 'The database does not respond'),
      element('p', {}, 'The figures return when the database does.'),
    )
  }
  if (concerns.length === 0) {
    return element('section', { class: 'calm' }, element('h2', {}, 'No problems'))
  }
  const items = concerns.map(({ what, why, page }) =>
    element(
      'li',
      {},
      element('strong', {}, page ? element('a', { href: page }, what) : what),
      `. ${why}`,
    ),
  )
  return element(
    'section',
    { class: 'concern' },
    element('h2', {}, 'Problems'),
    element('ul', {}, items),
  )
}

function printJobs({ figures }) {
  return table({
    caption: 'Print jobs',
    columns: ['Status', 'Count', 'Oldest'],
    rows: figures?.printJobs.map(({ status, count: jobs, oldestSeconds }) => [
      element('a', { href: withQuery('/print-jobs', { status }) }, status),
      count(jobs),
      age(oldestSeconds),
    ]),
    note: 'DESPATCHED and REJECTED count all print jobs ever finished.',
  })
}

function flow({ flow: minutes }) {
  return element(
    'section',
    { class: 'card', 'aria-label': 'The last hour' },
    element('h2', {}, 'The last hour'),
    minutes
      ? [
          plot({ label: 'Print jobs received', values: minutes.map(({ came }) => came) }),
          plot({
            label: 'Letters despatched',
            values: minutes.map(({ despatched }) => despatched),
          }),
        ]
      : element('p', {}, 'Not available.'),
  )
}

function printRuns({ runs }) {
  return table({
    caption: 'Print runs by day of despatch',
    columns: ['Day', 'State', 'Runs', 'Documents'],
    rows: runs?.map(({ expectedDespatchDate, state, runs: number, documents, isOverdue }) => [
      `${expectedDespatchDate ?? 'not known yet'}${isOverdue ? ', overdue' : ''}`,
      element('a', { href: `/print-runs?state=${state}` }, state),
      count(number),
      state === 'OPEN' ? '–' : count(documents),
    ]),
    empty: 'No open print runs.',
    note: 'Documents are counted after the release of a run. Closed and voided runs are not shown.',
  })
}

function queues({ figures, queues: known }) {
  const { due = 0, later = 0, oldestSeconds = null } = figures?.outbox ?? {}
  return table({
    caption: 'Queues and workers',
    columns: ['Queue', 'Waiting', 'Active', 'Delayed', 'Failed', 'Workers'],
    rows: known?.map(({ name, isPaused, waiting, active, delayed, failed, workers }) => [
      isPaused ? `${name}, paused` : name,
      count(waiting),
      count(active),
      count(delayed),
      count(failed),
      workers === null ? '–' : count(workers),
    ]),
    note:
      figures &&
      `Outbox: ${count(due)} wake-ups due, the oldest for ${age(oldestSeconds)}; ${count(later)} scheduled.`,
  })
}

function callbacks({ figures }) {
  return table({
    caption: 'Callbacks',
    columns: ['Callbacks', 'Count'],
    rows: figures && [
      ['Due, including retries', count(figures.callbacks.due)],
      ['Overdue by', age(figures.callbacks.lateSeconds)],
      ['Dead in the last 24 hours', count(figures.callbacks.deadLastDay)],
      ['Unavailable origins', count(figures.unavailableOrigins.count)],
    ],
  })
}

function origins({ failingOrigins }) {
  return table({
    caption: 'Failing origins',
    columns: ['Origin', 'Breaker', 'Failures in a row', 'Due', 'Dead'],
    rows: failingOrigins?.map(({ origin, breaker, failuresInRow, due, dead }) => [
      element('a', { href: withQuery('/callbacks', { origin }) }, origin),
      breaker,
      count(failuresInRow),
      count(due),
      count(dead),
    ]),
  })
}

function failingSteps({ failingSteps: steps }) {
  return table({
    caption: 'Failing steps',
    isText: true,
    columns: ['Print job', 'Status', 'Failure', 'Failures', 'Next', 'Time'],
    rows: steps?.map(({ printJobId, status, failure, failures, isParked, at }) => [
      linkTo(printJobId),
      status,
      failure ?? '–',
      count(failures),
      isParked ? 'parked' : 'tried again',
      moment(at),
    ]),
    empty: 'No failing steps.',
  })
}

function deadCallbacks({ deadCallbacks: dead }) {
  return table({
    caption: 'Latest dead callbacks',
    isText: true,
    columns: ['Callback', 'Print job', 'Event', 'Attempts', 'Last outcome', 'Reason', 'Time'],
    rows: dead?.map(
      ({ callbackId, printJobId, kind, status, attempts, outcome, httpStatus, reason, at }) => [
        element('a', { href: `/callbacks?callback=${callbackId}` }, callbackId),
        printJobId ? linkTo(printJobId) : '–',
        kind === 'status' ? (status ?? kind) : kind,
        count(attempts),
        [outcome ?? 'not tried', httpStatus ?? ''].join(' ').trim(),
        reason,
        moment(at),
      ],
    ),
    empty: 'No dead callbacks.',
  })
}

function linkTo(printJobId) {
  return element('a', { href: withQuery('/print-jobs', { find: printJobId }) }, printJobId)
}
