import { operationRoles, whyNotPermitted } from '@despatch/domain/access/operation-roles'
import { bulkActionKinds } from '@despatch/domain/bulk-action/bulk-action'
import { callbackStates } from '@despatch/domain/callback/callback-state'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { actionPath, whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import {
  printJobActions,
  reasonOfMany,
  redriveParked,
} from '@despatch/domain/operator-action/print-job-actions'
import { printRunActions, settleRecall } from '@despatch/domain/operator-action/print-run-actions'
import { queueActions, queueTasks } from '@despatch/domain/operator-action/queue-actions'
import { reprintActions } from '@despatch/domain/operator-action/reprint-actions'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { printRunStates } from '@despatch/domain/print-run/state'

const data = {
  bulkActionKinds,
  callbackActions,
  callbackStates,
  operationRoles,
  printJobActions,
  printJobStatuses,
  printRunActions,
  printRunStates,
  queueActions,
  queueTasks,
  reasonOfMany,
  redriveParked,
  reprintActions,
  settleRecall,
}

/** They use nothing outside themselves, so their text is enough to run them in a browser. */
const functions = [actionPath, whyNotPermitted, whyNotPossible]

/**
 * Returns a module for the console's pages, with what operators can do, the states of things, and the functions that
 * judge them. Pages therefore offer what the API accepts.
 */
export function renderDomainModule(): string {
  const constants = Object.entries(data).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`,
  )
  return [...constants, ...functions.map((each) => `export ${each}\n`)].join('')
}
