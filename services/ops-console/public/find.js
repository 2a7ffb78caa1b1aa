import { ask, withQuery } from './api.js'
import { contents, element, tell } from './dom.js'
import { count, moment } from './format.js'
import { attempt, begin, choice, field, form } from './frame.js'
import { table } from './table.js'

const statuses = ['QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION', 'DESPATCHED', 'REJECTED']
const query = Object.fromEntries(new URLSearchParams(location.search))
const found = element('div', {})

await begin(async () => {
  const box = element('input', {
    name: 'find',
    type: 'search',
    value: query.find,
    maxlength: '255',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const status = choice('status', statuses)
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
          'Id, business identifier, batch number, document id, correlation id, postcode or id of a callback',
        ),
        field('Status', status),
        field('Only those', only),
      ],
    }),
    found,
  )
  box.focus()
  await attempt(() => showFound(query))
})

// What is looked for may be a postcode: it is not put into the address of the page.
async function showFound({ find, status, only, cursor }) {
  const asked = { find: find?.trim(), status, only }
  const answer = await ask('GET', withQuery('/print-jobs', { ...asked, cursor }))
  found.replaceChildren(
    table({
      caption: 'Print jobs, the newest first',
      isText: true,
      columns: [
        'Print job',
        'Consumer',
        'Status',
        'Stands out',
        'Print run',
        'Document',
        'Came',
        'Changed',
      ],
      rows: answer.printJobs.map((printJob) => [
        element('a', { href: withQuery('/print-job', { key: printJob.printJobKey }) }, printJob.id),
        printJob.userName,
        printJob.status,
        whatStandsOut(printJob),
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
      empty: 'Nothing is known by that.',
    }),
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
  )
  tell(`Print jobs shown: ${count(answer.printJobs.length)}.`)
}

function whatStandsOut({ heldAt, parkedAt, deletedAt, failure }) {
  const all = [
    heldAt && 'held',
    parkedAt && 'parked',
    deletedAt && 'deleted',
    failure && `failing: ${failure}`,
  ]
  return all.filter(Boolean).join(', ') || '–'
}
