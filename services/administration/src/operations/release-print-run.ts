import { releasePrintRun as operation } from '@despatch/contracts/administration/print-run-operations'
import { whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { lockPrintRunWithProvider, requestRelease } from '@despatch/store/print-run/details'
import { actorOf } from '../operator/access.ts'
import { printRunNotFound, printRunRefusal, requirePrintRun } from '../print-run/refusals.ts'

/** POST /print-runs/{batchNumber}/release: the next pass over its site releases the run. */
export function releasePrintRun(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params, caller }) => {
      const { batchNumber } = params
      await transact(db, (tx) => ask(tx, batchNumber, actorOf(caller)))
      return requirePrintRun(db, batchNumber)
    },
  })
}

async function ask(tx: Tx, batchNumber: string, actor: string): Promise<void> {
  const run = await lockPrintRunWithProvider(tx, batchNumber)
  if (!run) throw printRunNotFound(batchNumber)
  if (run.releaseAskedAt) return
  const whyNot = whyNotPossible(printRunActions.release, { state: run.state })
  if (whyNot) throw printRunRefusal(run, whyNot)
  await requestRelease(tx, batchNumber, actor)
  const { providerId, printLocation } = run
  const detail = { batchNumber, providerId, printLocation }
  await insertAuditEvent(tx, { actor, action: 'print-run.release-asked', detail })
}
