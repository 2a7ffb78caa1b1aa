import { ask, withQuery } from './api.js'
import { announce, element } from './dom.js'
import { count, moment } from './format.js'
import { field, form } from './frame.js'
import { table } from './table.js'

/** Returns the recalls that providers have not answered, each with a form that answers on behalf of the provider. */
export async function openRecalls(onsettled) {
  const { recalls } = await ask('GET', '/recalls?state=OPEN')
  return table({
    caption: 'Unanswered recalls',
    isText: true,
    columns: [
      'Print run',
      'Provider',
      'Documents',
      'Reason',
      'Requested',
      'Settle on behalf of the provider',
    ],
    rows: recalls.map((recall) => [
      element(
        'a',
        { href: withQuery('/print-runs', { run: recall.batchNumber }) },
        recall.batchNumber,
      ),
      recall.providerId,
      count(recall.documentCount),
      element('div', { class: 'prose' }, recall.reason),
      moment(recall.requestedAt),
      settling(recall, onsettled),
    ]),
  })
}

function settling({ recallId, batchNumber }, onsettled) {
  return form({
    label: `Settle the recall of ${batchNumber}`,
    button: 'Settle',
    isDanger: true,
    fields: [
      field(
        'Too late for',
        element('input', { name: 'tooLate', autocomplete: 'off' }),
        'Documents that have left, separated by spaces. The others are recalled and rejected',
      ),
      field(
        'Evidence',
        element('input', { name: 'note', required: true, maxlength: '200' }),
        'No personal information',
      ),
    ],
    onsend: async ({ tooLate, note }) => {
      const documents = tooLate.split(/[\s,]+/).filter(Boolean)
      const settled = await ask('POST', `/recalls/${encodeURIComponent(recallId)}/settle`, {
        note,
        ...(documents.length > 0 && { tooLate: documents }),
      })
      await onsettled()
      announce(
        `The recall of ${batchNumber} is settled: ${count(settled.recalledCount)} recalled, ${count(settled.tooLateCount)} too late.`,
      )
    },
  })
}

/** Returns a form that recalls documents of a print run. */
export function recallForm(path, onrecalled) {
  return form({
    label: 'Recall',
    button: 'Recall',
    isDanger: true,
    fields: [
      field(
        'Documents',
        element('input', { name: 'documents', autocomplete: 'off' }),
        'Separated by spaces. Leave empty for all that are not reconciled',
      ),
      field(
        'Reason',
        element('input', { name: 'reason', required: true, maxlength: '200' }),
        'No personal information',
      ),
    ],
    onsend: async ({ documents, reason }) => {
      const documentIds = documents.split(/[\s,]+/).filter(Boolean)
      const { recallId, documentCount } = await ask('POST', `${path}/recalls`, {
        reason,
        ...(documentIds.length > 0 && { documentIds }),
      })
      await onrecalled()
      announce(
        recallId
          ? `The provider is asked to stop ${count(documentCount)} documents.`
          : `${count(documentCount)} documents are recalled.`,
      )
    },
  })
}
