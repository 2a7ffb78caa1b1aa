import { ask } from './api.js'
import { announce, contents, element } from './dom.js'
import { actionPath, queueActions, queueTasks, whyNotPossible } from './domain.js'
import { count, moment } from './format.js'
import { begin, form, whyNotForMe } from './frame.js'
import { createLiveView } from './live-view.js'
import { createParts, keepFocus } from './parts.js'
import { table } from './table.js'
import { batches, waitingLetters } from './work.js'

const part = createParts(contents())
/** By action and queue: a form that the operator has unfolded stays unfolded. */
const kept = new Map()
/** The message once an action is done. */
const done = {
  pause: ({ waiting }) => `paused; ${count(waiting)} waiting.`,
  resume: ({ waiting }) => `resumed; ${count(waiting)} waiting.`,
  drain: ({ removed }) => `tasks removed: ${count(removed)}.`,
  redrive: ({ triedAgain, woken }) =>
    `failed tasks retried: ${count(triedAgain)}; print jobs woken: ${count(woken)}.`,
}
const view = createLiveView({
  read: async () => (await ask('GET', '/queues')).queues,
  show,
  standing: standingOf,
})

/** What the workers do now; a page that has not received it yet says so. */
let work = { figures: null, batches: null }

await begin(async () => {
  await view.begin()
  const events = new EventSource('/events')
  events.addEventListener('facts', ({ data }) => {
    work = JSON.parse(data)
    keepFocus(showWork)
  })
  events.addEventListener('signed-out', () => events.close())
})

function showWork() {
  part('waiting', work.figures, () => waitingLetters(work))
  part('batches', { at: work.at, batches: work.batches }, batches)
}

function show(queues) {
  keepFocus(() => {
    part('queues', queues, tableOf)
    showWork()
    for (const queue of queues) {
      const possible = Object.values(queueActions).map((action) => whyNotPossible(action, queue))
      part(queue.queue, possible, () => actionsOf(queue), { hasListeners: true })
    }
  })
}

function standingOf(queues) {
  const paused = queues.filter(({ isPaused }) => isPaused).map(({ queue }) => queue)
  return paused.length === 0 ? 'No queue is paused.' : `Paused: ${paused.join(', ')}.`
}

function tableOf(queues) {
  return table({
    caption: 'Queues',
    columns: [
      'Queue',
      'State',
      'Waiting',
      'Active',
      'Delayed',
      'Failed',
      'Workers',
      'Paused since',
      'Paused by',
    ],
    rows: queues.map((queue) => [
      queue.queue,
      queue.isPaused ? 'paused' : 'open',
      count(queue.waiting),
      count(queue.active),
      count(queue.delayed),
      count(queue.failed),
      queue.workers === undefined ? '–' : count(queue.workers),
      moment(queue.pausedAt),
      queue.pausedByUserName ?? queue.pausedBy,
    ]),
    note: 'Queues contain only ids and counts. The work itself is in the database. Every action on this page is audited.',
  })
}

function actionsOf(queue) {
  const { queue: name } = queue
  const judged = Object.entries(queueActions).map(([action, declared]) => ({
    action,
    label: declared.label,
    whyNot: whyNotNow(declared, queue),
  }))
  return element(
    'section',
    { class: 'card', 'aria-labelledby': name },
    element('h2', { id: name }, name),
    element('p', {}, queueTasks[name]),
    judged.filter(({ whyNot }) => whyNot === null).map(({ action }) => keptForm(action, name)),
    element(
      'ul',
      {},
      judged
        .filter(({ whyNot }) => whyNot !== null)
        .map(({ label, whyNot }) => element('li', {}, element('strong', {}, label), `: ${whyNot}`)),
    ),
  )
}

function whyNotNow(action, queue) {
  const whyNot = whyNotPossible(action, queue)
  return whyNotForMe(action) ?? (whyNot === null ? null : `not now. ${whyNot}`)
}

function keptForm(action, name) {
  const key = `${action} ${name}`
  if (!kept.has(key)) kept.set(key, foldedForm(action, name))
  return kept.get(key)
}

/** The operator reads what the action does before the button is visible. */
function foldedForm(action, name) {
  const { label, consequences } = queueActions[action]
  const folded = element(
    'details',
    {},
    element('summary', {}, `${label} ${name}…`),
    form({
      action: queueActions[action],
      label: `${label} ${name}`,
      button: `${label} ${name}`,
      isDanger: action === 'drain',
      fields: [element('p', {}, `${consequences.ofEvery} ${consequences[name]}`)],
      onsend: async () => {
        if (action === 'drain' && !confirm(`Drain ${name}? ${consequences[name]}`)) return
        const changed = await ask('POST', actionPath(queueActions[action], name))
        folded.open = false
        view.display((await ask('GET', '/queues')).queues)
        announce(`Queue ${name}: ${done[action](changed)}`)
      },
    }),
  )
  return folded
}
