import { ask, withQuery } from './api.js'
import { description } from './description.js'
import { announce, contents, element } from './dom.js'
import { count, moment } from './format.js'
import { attempt, begin, choice, field, form } from './frame.js'
import { holdLettersForm } from './hold-letters.js'
import { mayPostOnBehalf, postOnBehalfForm } from './post-on-behalf.js'
import { openRecalls, recallForm } from './recalls.js'
import { table } from './table.js'

const states = [
  'OPEN',
  'RELEASED',
  'CLAIMED',
  'ACCEPTED',
  'ACCEPTED_WITH_EXCEPTIONS',
  'REFUSED',
  'IN_PRODUCTION',
  'POSTED',
  'RECONCILED',
  'CLOSED',
  'VOIDED',
]
/** States in which letters can still be taken out of a run. */
const unclaimed = ['OPEN', 'RELEASED']
/** States in which a run can still be reassigned. */
const reassignable = ['OPEN', 'RELEASED', 'CLAIMED', 'REFUSED']
/** States in which a run is finished. */
const ended = ['CLOSED', 'VOIDED']
const query = Object.fromEntries(new URLSearchParams(location.search))
const one = element('div', {})
const reprints = element('div', {})
const recalls = element('div', {})
const runs = element('div', {})

await begin(async () => {
  const state = choice('state', states)
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
  const path = `/print-runs/${encodeURIComponent(batchNumber)}`
  const run = await ask('GET', path)
  const { account, unaccounted, ...facts } = run
  one.replaceChildren(
    element(
      'section',
      { class: 'card', 'aria-labelledby': 'run' },
      element('h2', { id: 'run' }, `Print run ${batchNumber}`),
      description(facts),
      element('h2', {}, 'Reconciliation'),
      account ? description(account) : element('p', {}, 'The print run has not been claimed.'),
      actionsOf(run, path),
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

function actionsOf({ state, batchNumber, account }, path) {
  const forms = []
  if (state === 'OPEN') {
    forms.push(
      form({
        label: 'Release',
        button: 'Release now',
        fields: [element('p', {}, 'Releases the print run now instead of at its cut-off.')],
        onsend: async () => {
          await ask('POST', `${path}/release`)
          await showRun(batchNumber)
          announce('The print run will be released within seconds.')
        },
      }),
    )
  }
  if (unclaimed.includes(state)) forms.push(holdLettersForm(batchNumber))
  if (reassignable.includes(state)) forms.push(reassigning(state, path))
  const again = () => Promise.all([showRun(batchNumber), attempt(showRecalls)])
  if (!ended.includes(state) && account?.missing !== 0) forms.push(recallForm(path, again))
  if (mayPostOnBehalf({ state, account })) forms.push(postOnBehalfForm(path, again))
  if (!ended.includes(state) && account?.missing === 0) forms.push(closing(path, again))
  return forms.length > 0
    ? forms
    : element('p', { class: 'note' }, 'No actions are possible in this state.')
}

function closing(path, onclosed) {
  return form({
    label: 'Close',
    button: 'Close on behalf of the provider',
    fields: [
      field(
        'Why the provider does not close it',
        element('input', { name: 'note', required: true, maxlength: '200' }),
        'No personal information',
      ),
    ],
    onsend: async (given) => {
      await ask('POST', `${path}/close`, given)
      await onclosed()
      announce('The print run is closed.')
    },
  })
}

function reassigning(state, path) {
  const confirmation = element('input', {
    type: 'checkbox',
    name: 'nothingPrinted',
    value: 'true',
    required: state === 'CLAIMED',
  })
  return form({
    label: 'Reassign',
    button: 'Reassign to this site',
    isDanger: true,
    fields: [
      field('Provider', element('input', { name: 'providerId', required: true })),
      field('Site', element('input', { name: 'printLocation', required: true })),
      field(
        'Reason',
        element('input', { name: 'reason', required: true, maxlength: '200' }),
        'No personal information',
      ),
      state === 'CLAIMED' || state === 'REFUSED'
        ? element(
            'label',
            { class: 'check' },
            confirmation,
            'The provider has confirmed that none of it was or will be printed',
          )
        : null,
    ],
    onsend: async ({ nothingPrinted, ...given }) => {
      const moved = await ask('POST', `${path}/move`, {
        ...given,
        ...(nothingPrinted && { nothingPrinted: true }),
      })
      await showRun(moved.batchNumber)
      announce(
        `${count(moved.documentCount)} documents were reassigned to print run ${moved.batchNumber}.`,
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
  const path = `/reprints/${encodeURIComponent(reprintId)}`
  return [
    form({
      label: `Authorise the reprint of ${documentId}`,
      button: 'Authorise',
      fields: [],
      onsend: async () => {
        await ask('POST', `${path}/authorise`)
        await showReprints()
        announce(`The reprint of ${documentId} is authorised.`)
      },
    }),
    form({
      label: `Refuse the reprint of ${documentId}`,
      button: 'Refuse',
      isDanger: true,
      fields: [
        field('Reason', element('input', { name: 'reason', required: true, maxlength: '200' })),
      ],
      onsend: async (given) => {
        await ask('POST', `${path}/refuse`, given)
        await showReprints()
        announce(`The reprint of ${documentId} is refused. Its print job is rejected.`)
      },
    }),
  ]
}
