import { reasonField } from './action-fields.js'
import { ask, given, withQuery } from './api.js'
import { announce, element } from './dom.js'
import { reasonOfMany } from './domain.js'
import { count } from './format.js'
import { form } from './frame.js'

const printJobsMax = 1_000
const pageMax = 100

/**
 * Returns a form that plans to hold the letters of an unclaimed print run. They leave the run, and it continues without
 * them.
 */
export function holdLettersForm(batchNumber) {
  return form({
    action: { operationId: 'planBulkAction' },
    label: 'Hold its letters',
    button: 'Plan to hold its letters…',
    fields: [
      reasonField(reasonOfMany),
      element(
        'p',
        {},
        `The letters leave the print run and wait until an operator releases them. Nothing happens until the plan is confirmed. A plan has at most ${count(printJobsMax)} letters.`,
      ),
    ],
    onsend: async ({ reason }) => {
      const printJobKeys = await listLetters(batchNumber)
      if (printJobKeys.length === 0) {
        announce('The print run has no letters that can be held.', { isRefusal: true })
        return
      }
      const plan = { action: 'hold', reason, printJobKeys }
      const { bulkActionId } = await ask('POST', '/bulk-actions', plan)
      location.assign(withQuery('/bulk-actions', { bulk: bulkActionId }))
    },
  })
}

/** Returns the keys of the print jobs in the run now, at most as many as one plan allows. */
async function listLetters(batchNumber) {
  const keys = []
  let cursor
  do {
    const asked = given({ find: batchNumber, status: 'PENDING', limit: pageMax, cursor })
    const page = await ask('POST', '/print-jobs/search', asked)
    const inIt = page.printJobs.filter((printJob) => printJob.batchNumber === batchNumber)
    keys.push(...inIt.map(({ printJobKey }) => printJobKey))
    cursor = page.nextCursor
  } while (cursor && keys.length < printJobsMax)
  return keys.slice(0, printJobsMax)
}
