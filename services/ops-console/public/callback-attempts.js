import { ask } from './api.js'
import { element } from './dom.js'
import { count, moment } from './format.js'
import { attempt } from './frame.js'
import { table } from './table.js'

const folds = new Map()

/** Returns a table of the attempts at a callback, with their outcomes. */
export function attemptsTable(log) {
  return table({
    caption: 'Attempts',
    isText: true,
    isFitting: true,
    columns: ['Number', 'Started', 'Duration', 'Outcome', 'Address', 'Response', 'Next attempt'],
    rows: log.map((made) => [
      String(made.number),
      moment(made.startedAt),
      `${count(made.durationMs)} ms`,
      [made.outcome, made.httpStatus, made.failure].filter(Boolean).join(' '),
      made.address,
      made.answer,
      moment(made.nextAttemptAt),
    ]),
    empty: 'No attempts yet.',
  })
}

/**
 * Returns the attempts of each callback. They are read when the operator unfolds them, and again when there are more.
 */
export function attemptsOf(callbacks) {
  if (callbacks.length === 0) return element('div', {})
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'attempts' },
    element('h2', { id: 'attempts' }, 'Callback attempts'),
    callbacks.map(foldOf),
  )
}

function foldOf({ callbackId, attempts, jobStatus, kind }) {
  const fold = folds.get(callbackId) ?? makeFold(callbackId)
  folds.set(callbackId, fold)
  if (fold.attempts !== attempts) {
    fold.attempts = attempts
    fold.summary.textContent = `${jobStatus ?? kind}: ${count(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`
    if (fold.node.open) fold.load()
  }
  return fold.node
}

function makeFold(callbackId) {
  const summary = element('summary', {})
  const place = element('div', {})
  const load = () =>
    void attempt(async () => {
      const { log } = await ask('GET', `/callbacks/${encodeURIComponent(callbackId)}`)
      place.replaceChildren(attemptsTable(log))
    })
  const node = element('details', { ontoggle: () => node.open && load() }, summary, place)
  return { node, summary, load }
}
