import { actionFields, reasonField } from './action-fields.js'
import { ask, withQuery } from './api.js'
import { announce, element } from './dom.js'
import { actionPath, printRunActions, settleRecall } from './domain.js'
import { count, moment } from './format.js'
import { field, form } from './frame.js'
import { table } from './table.js'

const { recall } = printRunActions

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
    rows: recalls.map((asked) => [
      element(
        'a',
        { href: withQuery('/print-runs', { run: asked.batchNumber }) },
        asked.batchNumber,
      ),
      asked.providerId,
      count(asked.documentCount),
      element('div', { class: 'prose' }, asked.reason),
      moment(asked.requestedAt),
      settling(asked, onsettled),
    ]),
  })
}

function settling({ recallId, batchNumber }, onsettled) {
  return form({
    action: settleRecall,
    label: `Settle the recall of ${batchNumber}`,
    button: settleRecall.label,
    isDanger: true,
    fields: [
      field(
        'Too late for',
        element('input', { name: 'tooLate', autocomplete: 'off' }),
        'Documents that have left, separated by spaces. The others are recalled and rejected',
      ),
      reasonField(settleRecall.reason),
    ],
    onsend: async ({ tooLate, note }) => {
      const documents = tooLate.split(/[\s,]+/).filter(Boolean)
      const settled = await ask('POST', actionPath(settleRecall, recallId), {
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
export function recallForm(batchNumber, onrecalled) {
  return form({
    action: recall,
    label: 'Recall',
    button: recall.label,
    isDanger: true,
    fields: actionFields(
      recall,
      field(
        'Documents',
        element('input', { name: 'documents', autocomplete: 'off' }),
        'Separated by spaces. Leave empty for all that are not reconciled',
      ),
    ),
    onsend: async ({ documents, reason }) => {
      const documentIds = documents.split(/[\s,]+/).filter(Boolean)
      const { recallId, documentCount } = await ask('POST', actionPath(recall, batchNumber), {
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
