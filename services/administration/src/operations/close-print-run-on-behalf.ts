import { closePrintRunOnBehalf as operation } from '@despatch/contracts/administration/print-run-operations'
import { printRunUnaccounted } from '@despatch/contracts/print-fulfilment/print-run-unaccounted'
import { whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { type CloseOutcome, closePrintRunAs } from '@despatch/store/print-run/close'
import {
  lockPrintRunWithProvider,
  type PrintRunWithProvider,
} from '@despatch/store/print-run/details'
import { actorOf } from '../operator/access.ts'
import { describeUnaccounted, getPrintRunDetails } from '../print-run/details.ts'
import { printRunNotFound, printRunRefusal } from '../print-run/refusals.ts'

type Closing = { batchNumber: string; note: string; actor: string }

/** POST /print-runs/{batchNumber}/close: closes a run with no unaccounted documents, on behalf of the provider. */
export function closePrintRunOnBehalf(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { params, body, caller } = request
      const { batchNumber } = params
      addToLogLine(request, { batchNumber })
      const closing = { batchNumber, note: body.note, actor: actorOf(caller) }
      await transact(db, (tx) => closeRecorded(tx, closing))
      return getPrintRunDetails(db, batchNumber)
    },
  })
}

async function closeRecorded(tx: Tx, { batchNumber, note, actor }: Closing): Promise<void> {
  const run = await lockPrintRunWithProvider(tx, batchNumber)
  if (!run) throw printRunNotFound(batchNumber)
  requireClosed(run, await closePrintRunAs(tx, run, actor))
  if (run.state === 'CLOSED') return
  const { providerId } = run
  await insertAuditEvent(tx, {
    actor,
    action: 'print-run.closed',
    detail: { batchNumber, providerId, note },
  })
}

function requireClosed(run: PrintRunWithProvider, outcome: CloseOutcome): void {
  const { batchNumber, state } = run
  switch (outcome.kind) {
    case 'closed':
      return
    // A run that is still gathering has no provider yet.
    case 'absent':
    case 'not-in-production':
      throw printRunRefusal(
        run,
        whyNotPossible(printRunActions.close, { state, isAccountedFor: false })!,
      )
    case 'unaccounted':
      throw printRunUnaccounted(batchNumber, outcome, (document) =>
        describeUnaccounted(document, state),
      )
  }
}
