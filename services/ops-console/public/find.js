import { ask, given, withQuery } from './api.js'
import { createSelection } from './bulk-selection.js'
import { announce, contents, element } from './dom.js'
import { printJobStatuses } from './domain.js'
import { count, moment } from './format.js'
import { attempt, begin, choice, field, form } from './frame.js'
import { parkedByOutage } from './parked.js'
import { table } from './table.js'

const query = Object.fromEntries(new URLSearchParams(location.search))
const found = element('div', {})
const parked = element('div', {})
const selection = createSelection()

await begin(async () => {
  const box = element('input', {
    name: 'find',
    type: 'search',
    value: query.find,
    maxlength: '255',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const status = choice('status', printJobStatuses)
  status.value = query.status ?? ''
  const only = choice('only', ['parked', 'held', 'failing'])
  only.value = query.only ?? ''
  contents().append(
    form({
      label: 'Find print jobs',
      button: 'Find',
      onsend: showFound,
      fields: [
        field(
          'Find',
          box,
          'Print job id, business identifier, batch number, document id, correlation id, callback id, postcode, ' +
            'or words of the recipient name, with or without the postcode',
        ),
        field('Status', status),
        field('Show only', only),
      ],
    }),
    parked,
    found,
  )
  box.focus()
  await attempt(() => showFound(query))
})

// A search term may be a name, so it appears in no URL, neither of the page nor of the request.
async function showFound({ find, status, only, cursor }) {
  const asked = given({ find: find?.trim(), status, only })
  const answer = await ask('POST', '/print-jobs/search', given({ ...asked, cursor }))
  if (!cursor) selection.clear()
  selection.beginPage()
  parked.replaceChildren(only === 'parked' && !cursor ? await parkedByOutage() : '')
  found.replaceChildren(
    table({
      caption: 'Print jobs, newest first',
      isText: true,
      isFitting: true,
      columns: [
        'Print job',
        'Select',
        'Consumer',
        'Status',
        'Problem',
        'Print run',
        'Document',
        'Received',
        'Updated',
      ],
      rows: answer.printJobs.map((printJob) => [
        element('a', { href: withQuery('/print-job', { key: printJob.printJobKey }) }, printJob.id),
        selection.boxFor(printJob),
        printJob.userName,
        printJob.status,
        highlightOf(printJob),
        printJob.batchNumber &&
          element(
            'a',
            { href: withQuery('/print-runs', { run: printJob.batchNumber }) },
            printJob.batchNumber,
          ),
        printJob.documentId,
        moment(printJob.createdAt),
        moment(printJob.updatedAt),
      ]),
      empty: 'No print jobs found.',
    }),
    answer.isIndexing
      ? element('p', {}, 'Older letters are still being indexed and are not found by name yet.')
      : '',
    answer.nextCursor
      ? element(
          'button',
          {
            type: 'button',
            onclick: () => attempt(() => showFound({ ...asked, cursor: answer.nextCursor })),
          },
          'Next print jobs',
        )
      : '',
    ...selection.controls(),
  )
  announce(`Print jobs shown: ${count(answer.printJobs.length)}.`)
}

function highlightOf({ heldAt, parkedAt, deletedAt, failure }) {
  const all = [
    heldAt && 'held',
    parkedAt && 'parked',
    deletedAt && 'deleted',
    failure && `failing: ${failure}`,
  ]
  return all.filter(Boolean).join(', ') || '–'
}
