import type { ListedReprint } from '@despatch/contracts/administration/reprint'
import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import {
  decideReprint,
  type ReprintDecision,
  type ReprintDecisionOutcome,
} from '@despatch/store/reprint/decide'
import { actorOf } from '../operator/access.ts'
import { readSecondPersonRule, requireIndependence } from '../operator/second-person.ts'
import { printRunConflict } from './refusals.ts'
import { findReprint } from './reprints.ts'

type Decision = Pick<ReprintDecision, 'decision' | 'reason'> & { reprintId: string }

/**
 * Saves and records a second person's decision on a reprint. Throws a Problem if the decision is not possible, or the
 * person is not independent of the one who requested the reprint.
 */
export async function decideAndRecord(
  db: Db,
  caller: Caller,
  { reprintId, decision, reason }: Decision,
): Promise<ListedReprint> {
  const actor = actorOf(caller)
  await transact(db, async (tx) => {
    const before = await findReprint(tx, reprintId)
    const outcome = await decideReprint(tx, {
      reprintId: Number(reprintId),
      decision,
      actor,
      actorConsumerId: caller.consumerId,
      reason,
    })
    refuseUndecided(reprintId, outcome)
    if (before?.state !== 'WAITING') return
    const { isOn } = await readSecondPersonRule(tx)
    if (isOn) {
      const planner = await readRequester(tx, reprintId)
      await requireIndependence(tx, { planner, confirmer: caller.consumerId })
    }
    const { batchNumber, documentId, attempt } = before
    await insertAuditEvent(tx, {
      actor,
      action: decision === 'authorise' ? 'reprint.authorised' : 'reprint.refused',
      detail: {
        reprintId,
        batchNumber,
        documentId,
        attempt,
        ...(reason && { reason }),
        ...(!isOn && { secondPerson: 'off' }),
      },
    })
  })
  const reprint = await findReprint(db, reprintId)
  if (!reprint) throw new Error(`Reprint ${reprintId} is missing after its decision`)
  return reprint
}

async function readRequester(tx: Tx, reprintId: string): Promise<string> {
  const { requestedBy } = await tx
    .selectFrom('reprint')
    .select('requested_by as requestedBy')
    .where('id', '=', Number(reprintId))
    .executeTakeFirstOrThrow()
  return requestedBy
}

function refuseUndecided(reprintId: string, outcome: ReprintDecisionOutcome): void {
  switch (outcome.kind) {
    case 'decided':
      return
    case 'absent':
      throw new Problem('reprint-not-found', `There is no reprint ${reprintId}`)
    case 'decided-otherwise':
      throw printRunConflict(`Reprint ${reprintId} ${outcome.whyNot}`)
    case 'own-request':
      throw new Problem('not-permitted', outcome.whyNot)
    case 'not-in-production':
      throw printRunConflict(`Print run ${outcome.batchNumber} is no longer in production`)
  }
}
