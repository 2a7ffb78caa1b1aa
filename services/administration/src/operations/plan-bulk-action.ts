import { hash, randomUUID } from 'node:crypto'
import type { SearchHasherSource } from '@despatch/access/search-terms'
import { planBulkAction as operation } from '@despatch/contracts/administration/bulk-action-operations'
import type { CountPrintJobsRequest } from '@despatch/contracts/administration/print-job'
import type { BulkActionKind } from '@despatch/domain/bulk-action/bulk-action'
import { needsSecondPerson } from '@despatch/domain/bulk-action/bulk-action'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { sql } from 'kysely'
import { getBulkActionDetails } from '../bulk-action/bulk-actions.ts'
import { readMatchingKeys } from '../bulk-action/matching-keys.ts'
import { actorOf } from '../operator/access.ts'
import { readSecondPersonRule } from '../operator/second-person.ts'

export type PlanBulkActionContext = {
  db: Db
  searchHasher: SearchHasherSource
  /** Hashes the filters with a key of the deployment, because the text that was searched for may be personal. */
  hashFilters: (filters: string) => Buffer
  /** An action on more print jobs than this requires another operator's confirmation. */
  secondPersonAbove: number
  now: () => Date
}

/**
 * POST /bulk-actions: plans an action on print jobs: selected ones, or all that match filters. Nothing is changed
 * before its confirmation.
 */
export function planBulkAction(
  api: Api,
  { db, searchHasher, hashFilters, secondPersonAbove, now }: PlanBulkActionContext,
): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }, reply) => {
      const { bulkActionId: id = randomUUID(), action, matching, reason } = body
      const request = {
        id,
        action,
        reason,
        plannedBy: caller.consumerId,
        matching: matching ? withoutText(matching) : null,
        matchingHash: matching ? hashFilters(canonical(matching)) : null,
      }
      // A repeated request returns the print jobs that matched the first time.
      let saved: Saved | 'absent' = matching ? await compareWithSaved(db, request) : 'absent'
      if (saved === 'absent') {
        const printJobKeys =
          body.printJobKeys ?? (await readMatchingKeys({ db, searchHasher }, matching!))
        const plan = {
          ...request,
          printJobKeys,
          digest: bulkActionDigest(action, printJobKeys),
          plannedAt: now(),
        }
        const isLarge = needsSecondPerson(printJobKeys.length, secondPersonAbove)
        saved = await transact(db, async (tx) => {
          const isRuleOn = isLarge && (await readSecondPersonRule(tx)).isOn
          const secondPerson = isRuleOn ? 'needed' : isLarge ? 'off' : 'not-needed'
          return saveAndRecord(tx, plan, { actor: actorOf(caller), secondPerson })
        })
      }
      if (saved === 'taken') {
        throw new Problem('bulk-action-conflict', `Another bulk action has the id ${id}`)
      }
      reply.code(saved === 'planned' ? 201 : 200)
      return getBulkActionDetails(db, id, now())
    },
  })
}

/** The filters for the record, without the text that was searched for, which may be personal. */
function withoutText({ find, ...filters }: CountPrintJobsRequest) {
  return { ...filters, ...(find !== undefined && { hasText: true }) }
}

/** Returns the same text for the same filters, whatever their order. */
function canonical(filters: CountPrintJobsRequest): string {
  const entries = Object.entries(filters).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.toSorted() : value,
  ])
  return JSON.stringify(entries.toSorted(([one], [other]) => (one! < other! ? -1 : 1)))
}

/**
 * Returns the SHA-256 of what the confirming operator has seen: the action and the keys in alphabetical order, one per
 * line.
 */
export function bulkActionDigest(action: BulkActionKind, printJobKeys: readonly string[]): string {
  return hash('sha256', [action, ...printJobKeys.toSorted()].join('\n'))
}

type Saved = 'planned' | 'repeated' | 'taken'

type PlanRequest = {
  id: string
  action: BulkActionKind
  /** No personal information. */
  reason: string
  /** Consumer id of the operator. */
  plannedBy: string
  /** The filters, without personal information; null if the print jobs are named. */
  matching: Readonly<Record<string, unknown>> | null
  /** The hash of all filters. */
  matchingHash: Buffer | null
}

type NewBulkAction = PlanRequest & {
  digest: string
  /** In the order of execution, without duplicates. */
  printJobKeys: readonly string[]
  needsSecondPerson: boolean
  plannedAt: Date
}

type Recording = {
  actor: string
  /** `off`: it would be needed, but the rule of the second person is not on yet. */
  secondPerson: 'needed' | 'not-needed' | 'off'
}

async function saveAndRecord(
  tx: Tx,
  plan: Omit<NewBulkAction, 'needsSecondPerson'>,
  { actor, secondPerson }: Recording,
): Promise<Saved> {
  const saved = await savePlan(tx, { ...plan, needsSecondPerson: secondPerson === 'needed' })
  if (saved !== 'planned') return saved
  const { id: bulkActionId, action, printJobKeys, digest, reason, matching } = plan
  const what = { bulkActionId, action, printJobCount: printJobKeys.length, digest, reason }
  const detail = {
    ...what,
    ...(matching && { matching }),
    ...(secondPerson === 'off' && { secondPerson }),
  }
  await insertAuditEvent(tx, { actor, action: 'bulk-action.planned', detail })
  return saved
}

/**
 * Saves a plan; it changes no print job. Returns `repeated` if the same plan exists, `taken` if another plan has the
 * id.
 */
export async function savePlan(tx: Tx, plan: NewBulkAction): Promise<Saved> {
  const { id, action, reason, digest, printJobKeys, plannedBy, matching, matchingHash } = plan
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
      matching: matching && JSON.stringify(matching),
      matching_hash: matchingHash,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) {
    const saved = await compareWithSaved(tx, plan)
    return saved === 'repeated' ? 'repeated' : 'taken'
  }
  await sql`
    insert into bulk_action_item (bulk_action_id, position, print_job_key, print_job_id)
    select ${id}, chosen.position, chosen.key, job.id
    from unnest(${printJobKeys}::uuid[]) with ordinality as chosen (key, position)
    left join print_job job on job.key = chosen.key`.execute(tx)
  return 'planned'
}

/**
 * Compares a plan with the saved one of its id. A plan by filters is the same if the filters are, even if other print
 * jobs match them meanwhile; one of named print jobs is the same if they are.
 */
async function compareWithSaved(
  db: Db,
  { id, action, reason, plannedBy, matchingHash, digest }: PlanRequest & { digest?: string },
): Promise<'absent' | 'repeated' | 'taken'> {
  const saved = await db
    .selectFrom('bulk_action')
    .select(['action', 'reason', 'planned_by', 'digest', 'matching_hash'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!saved) return 'absent'
  const isRequested =
    saved.action === action && saved.reason === reason && saved.planned_by === plannedBy
  const isChosenSame = matchingHash
    ? saved.matching_hash?.equals(matchingHash)
    : saved.matching_hash === null && saved.digest === digest
  return isRequested && isChosenSame ? 'repeated' : 'taken'
}
