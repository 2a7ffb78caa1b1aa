import { actionFields } from './action-fields.js'
import { ask, withQuery } from './api.js'
import { attemptsOf } from './callback-attempts.js'
import { description } from './description.js'
import { announce, contents, element } from './dom.js'
import { actionPath, printJobActions } from './domain.js'
import { begin, form } from './frame.js'
import { letterOf } from './letter.js'
import { createLiveView } from './live-view.js'
import { overrideForm } from './override-address.js'
import { createParts, keepFocus } from './parts.js'
import { callbacksOf, filesOf, timelineOf } from './print-job-tables.js'

const key = new URLSearchParams(location.search).get('key') ?? ''
const path = `/print-jobs/${encodeURIComponent(key)}`

const addressLines = [
  'recipientLine1',
  'recipientLine2',
  'line1',
  'line2',
  'line3',
  'line4',
  'line5',
  'postcode',
]

const view = createLiveView({
  read: () => ask('GET', path),
  show,
  standing: standingOf,
  mayChange,
})
const part = createParts(contents())
const forms = new Map()

await begin(() => view.begin())

function mayChange(printJob) {
  if (printJob.deletedAt) return false
  const isOwed = printJob.callbacks.some(({ status }) => status === 'DUE' || status === 'WAITING')
  return isOwed || !['DESPATCHED', 'REJECTED'].includes(printJob.status)
}

/** Shows the parts that differ from the ones on the page. */
function show(printJob) {
  const { printableAddress, files, events, callbacks, actions, ...facts } = printJob
  const { printJobKey, consumerId, submittedAddress, addressOverride, ...rest } = facts
  const addresses = { printableAddress, submittedAddress, addressOverride }
  keepFocus(() => {
    part('facts', rest, factsOf)
    part('address', addresses, addressOf)
    part('letter', looksOf(printJob), () => letterOf(printJob, path), { hasListeners: true })
    part('actions', { actions, addresses }, () => actionsOf(printJob), { hasListeners: true })
    part('timeline', events, timelineOf)
    part('files', { files, events, status: printJob.status }, filesOf)
    part('callbacks', callbacks, callbacksOf)
    part('attempts', callbacks.map(countedAttempts), attemptsOf, { hasListeners: true })
  })
}

function countedAttempts({ callbackId, attempts, jobStatus, kind }) {
  return { callbackId, attempts, jobStatus, kind }
}

function standingOf({ id, status, parkedAt, heldAt, deletedAt }) {
  const aside = deletedAt ? ', deleted' : parkedAt ? ', parked' : heldAt ? ', held' : ''
  return `Print job ${id} is ${status}${aside}.`
}

/** Returns the facts that its pictures depend on. The pictures are fetched again only if these change. */
function looksOf({ status, pages, purgedAt, addressOverriddenAt, events }) {
  const isChecked = status !== 'QUARANTINE' && status !== 'VALIDATING'
  const findings = events.flatMap((event) => event.findings ?? [])
  return { isChecked, pages, purgedAt, addressOverriddenAt, findings }
}

function factsOf(facts) {
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'job' },
    element('h2', { id: 'job' }, `Print job ${facts.id}`),
    description(facts),
    facts.batchNumber
      ? element(
          'a',
          { href: withQuery('/print-runs', { run: facts.batchNumber }) },
          `Print run ${facts.batchNumber}`,
        )
      : null,
  )
}

function addressOf({ printableAddress: address, submittedAddress, addressOverride }) {
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'address' },
    element('h2', { id: 'address' }, 'Printed address'),
    address
      ? element('p', { class: 'address' }, linesOf(address).join('\n'))
      : element('p', {}, 'There is no printable address: it does not exist yet, or was deleted.'),
    addressOverride
      ? element(
          'details',
          {},
          element('summary', {}, 'Corrected by an operator. Address as submitted'),
          element('p', { class: 'address' }, submittedLines(submittedAddress).join('\n')),
        )
      : null,
  )
}

/** Returns the fields of the submitted address, of any kind. */
function submittedLines({ recipientName, address }) {
  const [fields] = Object.values(address)
  return [recipientName, ...Object.values(fields).filter(Boolean)]
}

/** Returns the non-empty lines in the order in which they are printed. */
function linesOf(address) {
  return addressLines.map((name) => address[name]).filter(Boolean)
}

function actionsOf(printJob) {
  const { actions } = printJob
  const possible = actions.filter(({ isPossible }) => isPossible).map(({ action }) => action)
  const others = actions.filter(({ isPossible }) => !isPossible)
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'actions' },
    element('h2', { id: 'actions' }, 'Actions'),
    possible.map((action) => keptForm(action, printJob)),
    element(
      'ul',
      {},
      others.map(({ action, whyNot }) =>
        element(
          'li',
          {},
          element('strong', {}, printJobActions[action].label),
          `: not now. ${whyNot ?? ''}`,
        ),
      ),
    ),
  )
}

/** Returns the existing form with its filled fields, unless the address to correct has changed. */
function keptForm(action, printJob) {
  const { printableAddress, submittedAddress, addressOverride } = printJob
  const isFilled = action === 'override-address'
  const basis = isFilled && JSON.stringify({ printableAddress, submittedAddress, addressOverride })
  const kept = forms.get(action)
  if (kept?.basis === basis) return kept.node
  const node = formOf(action, printJob)
  forms.set(action, { basis, node })
  return node
}

function formOf(action, printJob) {
  if (action !== 'override-address') return actionForm(action)
  return overrideForm(printJob, async (correction) => {
    view.display(await ask('POST', actionPath(printJobActions[action], key), correction))
    announce('Done: the letter was made again with the new address. Check its page above.')
  })
}

function actionForm(name) {
  const action = printJobActions[name]
  const filled = form({
    action,
    label: action.label,
    button: action.label,
    isDanger: name === 'cancel',
    fields: actionFields(action),
    onsend: async (given) => {
      if (name === 'cancel' && !confirm('Delete 1 print job? This cannot be undone.')) return
      view.display(await ask('POST', actionPath(action, key), given))
      filled.reset()
      announce(`Done: ${action.label.toLowerCase()}.`)
    },
  })
  return filled
}
