import { actionFields, reasonField } from './action-fields.js'
import { ask, Refusal, withQuery } from './api.js'
import { announce, element } from './dom.js'
import { actionPath, printRunActions, settleRecall } from './domain.js'
import { count, countDocuments, moment } from './format.js'
import { check, field, form, idsIn } from './frame.js'
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
      check('allStopped', 'None of the documents has left'),
      reasonField(settleRecall.reason),
    ],
    onsend: async ({ tooLate, allStopped, note }) => {
      const left = idsIn(tooLate)
      if (left.length > 0 === (allStopped === 'true')) {
        throw new Refusal(0, 'Name the documents that have left, or say that none has left.')
      }
      const choice = left.length > 0 ? { tooLate: left } : { allStopped: true }
      const path = actionPath(settleRecall, recallId)
      const { documentCount, tooLateCount } = await ask('POST', `${path}/count`, choice)
      const question = `Recall ${countDocuments(documentCount)} of ${batchNumber} and reject their print jobs? Too late: ${count(tooLateCount)}. This cannot be undone.`
      if (!confirm(question)) return
      const settled = await ask('POST', path, { ...choice, note, expectedCount: documentCount })
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
        'Ids of the documents, separated by spaces',
      ),
      check('all', 'All documents that are not reconciled'),
    ),
    onsend: async ({ documents, all, reason }) => {
      const documentIds = idsIn(documents)
      if (documentIds.length > 0 === (all === 'true')) {
        throw new Refusal(0, 'Name the documents, or choose all that are not reconciled.')
      }
      const choice = all ? { all: true } : { documentIds }
      const path = actionPath(recall, batchNumber)
      const { documentCount: expectedCount } = await ask('POST', `${path}/count`, choice)
      const question = `Recall ${countDocuments(expectedCount)} of ${batchNumber}? This cannot be undone.`
      if (!confirm(question)) return
      const { recallId, documentCount } = await ask('POST', path, {
        ...choice,
        reason,
        expectedCount,
      })
      await onrecalled()
      announce(
        recallId
          ? `The provider is asked to stop ${countDocuments(documentCount)}.`
          : `Recalled: ${countDocuments(documentCount)}.`,
      )
    },
  })
}
