import { actionFields, reasonField } from './action-fields.js'
import { ask, withQuery } from './api.js'
import { description } from './description.js'
import { announce, contents, element } from './dom.js'
import {
  actionPath,
  printRunActions,
  printRunStates,
  reprintActions,
  whyNotPossible,
} from './domain.js'
import { count, countDocuments, moment } from './format.js'
import { attempt, begin, check, choice, field, form } from './frame.js'
import { holdLettersForm } from './hold-letters.js'
import { postOnBehalfForm } from './post-on-behalf.js'
import { openRecalls, recallForm } from './recalls.js'
import { table } from './table.js'

/** States in which letters can still be taken out of a run. */
const unclaimed = ['OPEN', 'RELEASED']
const query = Object.fromEntries(new URLSearchParams(location.search))
const one = element('div', {})
const reprints = element('div', {})
const recalls = element('div', {})
const runs = element('div', {})

await begin(async () => {
  const state = choice('state', printRunStates)
  state.value = query.state ?? ''
  contents().append(
    one,
    reprints,
    recalls,
    form({
      label: 'Choose print runs',
      button: 'Show',
      onsend: showRuns,
      fields: [
        field('State', state),
        field('Provider', element('input', { name: 'providerId', value: query.providerId })),
        field(
          'Print run',
          element('input', { name: 'batchNumber', value: query.run }),
          'Shows only this one',
        ),
      ],
    }),
    runs,
  )
  await Promise.all([
    attempt(() => showRuns(query)),
    attempt(showReprints),
    attempt(showRecalls),
    query.run && attempt(() => showRun(query.run)),
  ])
})

async function showRuns({ state, providerId, batchNumber, cursor }) {
  if (batchNumber) return showRun(batchNumber)
  const answer = await ask('GET', withQuery('/print-runs', { state, providerId, cursor }))
  runs.replaceChildren(
    table({
      caption: 'Print runs',
      isText: true,
      columns: [
        'Print run',
        'State',
        'Provider',
        'Site',
        'Documents',
        'Despatch date',
        'Opened',
        'Cut-off',
        'Lease until',
        'Reprints waiting',
        'Failed releases',
      ],
      rows: answer.printRuns.map((run) => [
        element('a', { href: withQuery('/print-runs', { run: run.batchNumber }) }, run.batchNumber),
        run.state,
        run.providerId,
        run.printLocation,
        count(run.documentCount),
        run.expectedDespatchDate,
        moment(run.openedAt),
        moment(run.cutOffAt),
        moment(run.leaseUntil),
        count(run.waitingReprintCount),
        count(run.releaseFailureCount ?? 0),
      ]),
    }),
    answer.nextCursor
      ? element(
          'button',
          {
            type: 'button',
            onclick: () =>
              attempt(() => showRuns({ state, providerId, cursor: answer.nextCursor })),
          },
          'Next print runs',
        )
      : '',
  )
  announce(`Print runs shown: ${count(answer.printRuns.length)}.`)
}

async function showRun(batchNumber) {
  const run = await ask('GET', `/print-runs/${encodeURIComponent(batchNumber)}`)
  const { account, unaccounted, ...facts } = run
  one.replaceChildren(
    element(
      'section',
      { class: 'card', 'aria-labelledby': 'run' },
      element('h2', { id: 'run' }, `Print run ${batchNumber}`),
      description(facts),
      element('h2', {}, 'Reconciliation'),
      account ? description(account) : element('p', {}, 'The print run has not been claimed.'),
      actionsOf(run),
    ),
    account ? missingOf(account, unaccounted ?? []) : '',
  )
  announce(`Print run ${batchNumber} is ${run.state}.`)
}

function missingOf({ missing }, unaccounted) {
  return table({
    caption: 'Missing documents',
    isText: true,
    columns: ['Document', 'Attempt', 'Progress and what to do'],
    rows: unaccounted.map(({ documentId, attempt: number, standing }) => [
      element('a', { href: withQuery('/print-jobs', { find: documentId }) }, documentId),
      count(number),
      element('div', { class: 'prose' }, standing),
    ]),
    empty: 'None: every document is reconciled.',
    note: missing > unaccounted.length ? `The first of ${count(missing)}.` : null,
  })
}

function actionsOf(run) {
  const { state, batchNumber } = run
  const again = () => Promise.all([showRun(batchNumber), attempt(showRecalls)])
  const may = (name) => whyNotPossible(printRunActions[name], factsOf(run)) === null
  const forms = [
    may('release') && releasing(batchNumber),
    unclaimed.includes(state) && holdLettersForm(batchNumber),
    may('move') && reassigning(run),
    may('recall') && recallForm(batchNumber, again),
    may('post') && postOnBehalfForm(run, again),
    may('close') && closing(run, again),
  ].filter(Boolean)
  return forms.length > 0
    ? forms
    : element('p', { class: 'note' }, 'No actions are possible in this state.')
}

function factsOf({ state, refusal, account }) {
  const isRefusedAsWhole = refusal !== undefined
  return { state, isRefusedAsWhole, ...(account && { isAccountedFor: account.missing === 0 }) }
}

function releasing(batchNumber) {
  const action = printRunActions.release
  return form({
    action,
    label: 'Release',
    button: action.label,
    fields: actionFields(action),
    onsend: async () => {
      await ask('POST', actionPath(action, batchNumber))
      await showRun(batchNumber)
      announce('The print run will be released within seconds.')
    },
  })
}

function closing({ batchNumber, documentCount }, onclosed) {
  const action = printRunActions.close
  return form({
    action,
    label: 'Close',
    button: action.label,
    fields: actionFields(action),
    onsend: async (given) => {
      const question = `Close ${batchNumber} with ${countDocuments(documentCount)}? This cannot be undone.`
      if (!confirm(question)) return
      await ask('POST', actionPath(action, batchNumber), given)
      await onclosed()
      announce('The print run is closed.')
    },
  })
}

function reassigning({ state, batchNumber, documentCount }) {
  const action = printRunActions.move
  return form({
    action,
    label: 'Reassign',
    button: action.label,
    isDanger: true,
    fields: actionFields(
      action,
      field('Provider', element('input', { name: 'providerId', required: true })),
      field('Site', element('input', { name: 'printLocation', required: true })),
      state === 'CLAIMED' || state === 'REFUSED'
        ? check(
            'nothingPrinted',
            'The provider has confirmed that none of it was or will be printed',
            { required: state === 'CLAIMED' },
          )
        : null,
    ),
    onsend: async ({ nothingPrinted, ...given }) => {
      const question = `Reassign ${countDocuments(documentCount)} of ${batchNumber} to ${given.printLocation} of ${given.providerId}? This cannot be undone.`
      if (!confirm(question)) return
      const moved = await ask('POST', actionPath(action, batchNumber), {
        ...given,
        ...(nothingPrinted && { nothingPrinted: true }),
      })
      await showRun(moved.batchNumber)
      announce(
        `Reassigned to print run ${moved.batchNumber}: ${countDocuments(moved.documentCount)}.`,
      )
    },
  })
}

async function showRecalls() {
  recalls.replaceChildren(await openRecalls(showRecalls))
}

async function showReprints() {
  const { reprints: waiting } = await ask('GET', '/reprints?state=WAITING')
  reprints.replaceChildren(
    table({
      caption: 'Reprints waiting for a second person',
      isText: true,
      columns: [
        'Document',
        'Print run',
        'Provider',
        'Attempt',
        'Reason',
        'Requested by',
        'When',
        'Decision',
      ],
      rows: waiting.map((reprint) => [
        reprint.documentId,
        element(
          'a',
          { href: withQuery('/print-runs', { run: reprint.batchNumber }) },
          reprint.batchNumber,
        ),
        reprint.providerId,
        String(reprint.attempt),
        [reprint.reasonCode, reprint.reason].filter(Boolean).join(': '),
        reprint.requestedBy,
        moment(reprint.requestedAt),
        decisionOf(reprint),
      ]),
    }),
  )
}

function decisionOf({ reprintId, documentId }) {
  const { authorise, refuse } = reprintActions
  return [
    form({
      action: authorise,
      label: `Authorise the reprint of ${documentId}`,
      button: authorise.label,
      fields: [],
      onsend: async () => {
        await ask('POST', actionPath(authorise, reprintId))
        await showReprints()
        announce(`The reprint of ${documentId} is authorised.`)
      },
    }),
    form({
      action: refuse,
      label: `Refuse the reprint of ${documentId}`,
      button: refuse.label,
      isDanger: true,
      fields: [reasonField(refuse.reason)],
      onsend: async (given) => {
        const question = `Refuse the reprint of ${documentId} and reject 1 print job? This cannot be undone.`
        if (!confirm(question)) return
        await ask('POST', actionPath(refuse, reprintId), given)
        await showReprints()
        announce(`The reprint of ${documentId} is refused. Its print job is rejected.`)
      },
    }),
  ]
}
