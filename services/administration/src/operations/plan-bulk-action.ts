import { createHash, randomUUID } from 'node:crypto'
import type { SearchHasherSource } from '@despatch/access/search-terms'
import { planBulkAction as operation } from '@despatch/contracts/administration/bulk-action-operations'
import type { CountPrintJobsRequest } from '@despatch/contracts/administration/print-job'
import type { Caller } from '@despatch/domain/access/caller'
import type { BulkActionKind } from '@despatch/domain/bulk-action/bulk-action'
import { needsSecondPerson } from '@despatch/domain/bulk-action/bulk-action'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { sql } from 'kysely'
import { getBulkActionDetails } from '../bulk-action/bulk-actions.ts'
import { readMatchingKeys } from '../bulk-action/matching-keys.ts'
import { actorOf } from '../operator/actor-of.ts'

export type PlanBulkActionContext = {
  db: Db
  searchHasher: SearchHasherSource
  /** An action on more print jobs than this requires another operator's confirmation. */
  secondPersonAbove: number
  now: () => Date
}

/** POST /bulk-actions: plans an action on print jobs: selected ones, or all that match filters. Nothing is changed before its confirmation. */
export function planBulkAction(
  api: Api,
  { db, searchHasher, secondPersonAbove, now }: PlanBulkActionContext,
): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }, reply) => {
      const { bulkActionId: id = randomUUID(), action, matching, reason } = body
      const isPlanned = matching && (await isPlannedAs(db, { id, action, reason, caller }))
      if (isPlanned) return getBulkActionDetails(db, id, now())
      const printJobKeys =
        body.printJobKeys ?? (await readMatchingKeys({ db, searchHasher }, matching!))
      const printJobCount = printJobKeys.length
      const needsSecond = needsSecondPerson(printJobCount, secondPersonAbove)
      const digest = bulkActionDigest(action, printJobKeys)
      const planned = await transact(db, async (tx) => {
        const outcome = await savePlan(tx, {
          ...{ id, action, reason, digest, printJobKeys, needsSecondPerson: needsSecond },
          plannedBy: caller.consumerId,
          plannedAt: now(),
        })
        if (outcome === 'planned') {
          const detail = {
            bulkActionId: id,
            action,
            printJobCount,
            digest,
            reason,
            ...recorded(matching),
          }
          const actor = actorOf(caller)
          await insertAuditEvent(tx, { actor, action: 'bulk-action.planned', detail })
        }
        return outcome
      })
      if (planned === 'taken') {
        throw new Problem('bulk-action-conflict', `Another bulk action has the id ${id}`)
      }
      reply.code(planned === 'planned' ? 201 : 200)
      return getBulkActionDetails(db, id, now())
    },
  })
}

type Repeated = { id: string; action: BulkActionKind; reason: string; caller: Caller }

/** Whether the caller has planned this before: the print jobs that matched then are the plan. */
async function isPlannedAs(db: Db, { id, action, reason, caller }: Repeated): Promise<boolean> {
  const planned = await db
    .selectFrom('bulk_action')
    .select('id')
    .where('id', '=', id)
    .where('action', '=', action)
    .where('reason', '=', reason)
    .where('planned_by', '=', caller.consumerId)
    .executeTakeFirst()
  return planned !== undefined
}

/** The filters for the audit log, without the text that was searched for, which may be personal. */
function recorded(matching: CountPrintJobsRequest | undefined) {
  if (!matching) return {}
  const { find, ...filters } = matching
  return { matching: { ...filters, ...(find !== undefined && { hasText: true }) } }
}

/**
 * Returns the SHA-256 of what the confirming operator has seen: the action and the keys in alphabetical order, one per
 * line.
 */
export function bulkActionDigest(action: BulkActionKind, printJobKeys: readonly string[]): string {
  return createHash('sha256')
    .update([action, ...printJobKeys.toSorted()].join('\n'))
    .digest('hex')
}

type NewBulkAction = {
  id: string
  action: BulkActionKind
  /** No personal information. */
  reason: string
  digest: string
  /** In the order of execution, without duplicates. */
  printJobKeys: readonly string[]
  needsSecondPerson: boolean
  /** Consumer id of the operator. */
  plannedBy: string
  plannedAt: Date
}

/**
 * Saves a plan; it changes no print job. Returns `repeated` if the same plan exists, `taken` if another plan has the
 * id.
 */
export async function savePlan(
  tx: Tx,
  plan: NewBulkAction,
): Promise<'planned' | 'repeated' | 'taken'> {
  const { id, action, reason, digest, printJobKeys, plannedBy } = plan
  const inserted = await tx
    .insertInto('bulk_action')
    .values({
      id,
      action,
      reason,
      digest,
      print_job_count: printJobKeys.length,
      needs_second_person: plan.needsSecondPerson,
      planned_by: plannedBy,
      planned_at: plan.plannedAt,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) {
    const same = await tx
      .selectFrom('bulk_action')
      .select('id')
      .where('id', '=', id)
      .where('digest', '=', digest)
      .where('reason', '=', reason)
      .where('planned_by', '=', plannedBy)
      .executeTakeFirst()
    return same ? 'repeated' : 'taken'
  }
  await sql`
    insert into bulk_action_item (bulk_action_id, position, print_job_key, print_job_id)
    select ${id}, chosen.position, chosen.key, job.id
    from unnest(${printJobKeys}::uuid[]) with ordinality as chosen (key, position)
    left join print_job job on job.key = chosen.key`.execute(tx)
  return 'planned'
}
