import { ask, withQuery } from './api.js'
import { description } from './description.js'
import { contents, element, tell } from './dom.js'
import { count, moment } from './format.js'
import { begin, field, form } from './frame.js'
import { letterOf } from './letter.js'
import { mayOverrideAddress, overrideForm } from './override-address.js'
import { table } from './table.js'

const key = new URLSearchParams(location.search).get('key') ?? ''
const path = `/print-jobs/${encodeURIComponent(key)}`
const labels = {
  hold: 'Hold',
  release: 'Release',
  cancel: 'Cancel',
  redrive: 'Try again',
  'override-address': 'Correct the address',
}

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

/** Whether the form for it is offered. */
let mayOverride = false

await begin(async (session) => {
  mayOverride = session !== undefined && mayOverrideAddress(session)
  show(await ask('GET', path))
})

function show(printJob) {
  const { printableAddress, files, events, callbacks, actions, ...facts } = printJob
  const { printJobKey, consumerId, submittedAddress, addressOverride, ...told } = facts
  contents().replaceChildren(
    element(
      'section',
      { class: 'card', 'aria-labelledby': 'job' },
      element('h2', { id: 'job' }, `Print job ${printJob.id}`),
      description(told),
      printJob.batchNumber
        ? element(
            'a',
            { href: withQuery('/print-runs', { run: printJob.batchNumber }) },
            `Print run ${printJob.batchNumber}`,
          )
        : null,
    ),
    addressOf(printJob),
    letterOf(printJob, path),
    actionsOf(printJob),
    timeline(events),
    filesOf(files),
    callbacksOf(callbacks),
  )
  tell(`Print job ${printJob.id} is ${printJob.status}.`)
}

function addressOf({ printableAddress: address, submittedAddress, addressOverride }) {
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'address' },
    element('h2', { id: 'address' }, 'As it is printed'),
    address
      ? element('p', { class: 'address' }, linesOf(address).join('\n'))
      : element(
          'p',
          {},
          'There is no printable address: it has not been made, or has been removed.',
        ),
    addressOverride
      ? element(
          'details',
          {},
          element('summary', {}, 'Operations have corrected it. As its consumer submitted it'),
          element('p', { class: 'address' }, submittedLines(submittedAddress).join('\n')),
        )
      : null,
  )
}

/** The fields of the address that was submitted, whichever kind it is of. */
function submittedLines({ recipientName, address }) {
  const [fields] = Object.values(address)
  return [recipientName, ...Object.values(fields).filter(Boolean)]
}

/** In the order in which they are printed; what is empty is not. */
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
    element('h2', { id: 'actions' }, 'What may be done'),
    possible.map((action) => formOf(action, printJob)),
    element(
      'ul',
      {},
      others.map(({ action, whyNot }) =>
        element('li', {}, element('strong', {}, labels[action]), `: not now. ${whyNot ?? ''}`),
      ),
    ),
  )
}

function formOf(action, printJob) {
  if (action !== 'override-address') return actionForm(action)
  if (!mayOverride) {
    return element(
      'p',
      {},
      'Its address may be corrected by somebody with the role address-editor.',
    )
  }
  return overrideForm(printJob, async (correction) => {
    show(await ask('POST', `${path}/address`, correction))
    tell('Done: the letter was made again with the address that you gave. Look at its page above.')
  })
}

function actionForm(action) {
  return form({
    label: labels[action],
    button: labels[action],
    isDanger: action === 'cancel',
    fields: [
      field(
        'Why',
        element('input', { name: 'reason', required: true, maxlength: '200' }),
        'Stands in the timeline. No personal information',
      ),
    ],
    onsend: async (given) => {
      show(await ask('POST', `${path}/${action}`, given))
      tell(`Done: ${labels[action].toLowerCase()}.`)
    },
  })
}

function timeline(events) {
  return table({
    caption: 'Timeline',
    isText: true,
    columns: ['When', 'What', 'Status', 'Who', 'Why', 'Findings'],
    rows: events.map(({ at, transition, status, actor, reason, findings = [] }) => [
      moment(at),
      transition,
      status,
      actor,
      reason,
      findings.map(({ number, rule, detail }) =>
        element('div', {}, `${number ?? rule}: ${detail}`),
      ),
    ]),
  })
}

function filesOf(files) {
  return table({
    caption: 'Files',
    isText: true,
    columns: ['File', 'Source', 'Kind', 'Bytes', 'Pinned', 'SHA-256'],
    rows: files.map(({ fileId, source, mediaType, bytes, isPinned, sha256 }) => [
      fileId,
      source,
      mediaType,
      bytes === undefined ? '–' : count(bytes),
      isPinned ? 'yes' : 'no',
      sha256,
    ]),
  })
}

function callbacksOf(callbacks) {
  return table({
    caption: 'Callbacks',
    isText: true,
    columns: ['Callback', 'Tells', 'Status', 'Why', 'Attempts', 'Origin', 'Next attempt'],
    rows: callbacks.map((callback) => [
      element(
        'a',
        { href: withQuery('/callbacks', { callback: callback.callbackId }) },
        callback.callbackId,
      ),
      callback.jobStatus ?? callback.kind,
      callback.status,
      callback.reason,
      count(callback.attempts),
      callback.origin,
      moment(callback.nextAttemptAt),
    ]),
  })
}
