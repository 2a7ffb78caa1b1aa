import * as operations from '@despatch/contracts/administration/record-set-operations'
import { cursorAfter } from '@despatch/contracts/page'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import {
  beginLoading,
  listRecordSetPage,
  listRejectPage,
  type RecordSet,
} from '@despatch/store/record-set/record-sets'
import { abandonSet, beginPublishing, makeCurrent } from '@despatch/store/record-set/transitions'
import { actorOf } from '../operator/access.ts'
import type { RecordSetPublisher } from '../record-set/publisher.ts'
import { describeRecordSet, requireMoved, requireRecordSet } from '../record-set/record-sets.ts'

/** POST /record-sets: creates a set to load rows into, or returns the unfinished one of the same source. */
export function beginRecordSet(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.beginRecordSet,
    handler: async ({ body, caller }, reply) => {
      const { kind, mode, sourceSha256 } = body
      const actor = actorOf(caller)
      const source = { kind, mode, sourceSha256: Buffer.from(sourceSha256, 'hex') }
      const begun = await transact(db, async (tx) => {
        const outcome = await beginLoading(tx, { ...source, createdBy: actor })
        if (outcome.kind === 'begun') {
          const detail = { recordSetId: String(outcome.set.id), kind, mode, sourceSha256 }
          await insertAuditEvent(tx, { actor, action: 'record-set.begun', detail })
        }
        return outcome
      })
      if (begun.kind === 'conflict') throw unfinished(begun.set)
      return reply.code(begun.kind === 'begun' ? 201 : 200).send(describeRecordSet(begun.set))
    },
  })
}

function unfinished({ id, kind, mode, state, rowsRead }: RecordSet): Problem {
  return new Problem(
    'record-set-conflict',
    `Record set ${id} of kind ${kind} and mode ${mode} is unfinished (${state}, ${rowsRead} rows read): ` +
      'finish it from its own source, or abandon it',
  )
}

/** GET /record-sets: lists present and past record sets, newest first. */
export function listRecordSets(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listRecordSets,
    handler: async ({ query }) => {
      const { kind, cursor, limit } = query
      const sets = await listRecordSetPage(db, { kind, before: cursor, setsMax: limit })
      return {
        recordSets: sets.map(describeRecordSet),
        ...cursorAfter(sets, limit, ({ id }) => String(id)),
      }
    },
  })
}

/** GET /record-sets/{recordSetId}: returns the progress of a set. */
export function getRecordSet(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.getRecordSet,
    handler: async ({ params }) =>
      describeRecordSet(await requireRecordSet(db, params.recordSetId)),
  })
}

/** GET /record-sets/{recordSetId}/rejects: lists the rows that the import rejected. */
export function listRejects(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listRejects,
    handler: async ({ params, query }) => {
      const { cursor, limit } = query
      const { id: setId } = await requireRecordSet(db, params.recordSetId)
      const after = Number(cursor ?? 0)
      const rejects = await listRejectPage(db, { setId, after, rejectsMax: limit })
      return { rejects, ...cursorAfter(rejects, limit, ({ row }) => String(row)) }
    },
  })
}

type Effects = { db: Db; publisher: RecordSetPublisher }

/** POST /record-sets/{recordSetId}/publish: prepares the set in the background and then makes it the current one. */
export function publishRecordSet(api: Api, { db, publisher }: Effects): void {
  api.route({
    ...operations.publishRecordSet,
    handler: async ({ params, caller }, reply) => {
      const { id } = await requireRecordSet(db, params.recordSetId)
      requireMoved(id, await transact(db, (tx) => beginPublishing(tx, id)))
      const set = await requireRecordSet(db, id)
      if (set.state === 'CURRENT') return reply.code(200).send(describeRecordSet(set))
      await publisher.publish(id, actorOf(caller))
      return reply.code(202).send(describeRecordSet({ ...set, isBeingPublished: true }))
    },
  })
}

/** POST /record-sets/{recordSetId}/abandon: the set accepts no more rows. The sweep drops the loaded ones. */
export function abandonRecordSet(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.abandonRecordSet,
    handler: async ({ params, caller }) => {
      const { id } = await requireRecordSet(db, params.recordSetId)
      const set = await transact(db, async (tx) => {
        const isMoved = requireMoved(id, await abandonSet(tx, id))
        const abandoned = await requireRecordSet(tx, id)
        if (isMoved) {
          const { kind, rowsRead, rowsRejected } = abandoned
          const detail = { recordSetId: String(id), kind, rowsRead, rowsRejected }
          const actor = actorOf(caller)
          await insertAuditEvent(tx, { actor, action: 'record-set.abandoned', detail })
        }
        return abandoned
      })
      return describeRecordSet(set)
    },
  })
}

/** POST /record-sets/{recordSetId}/make-current: rolls back to the previous set. */
export function makeRecordSetCurrent(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.makeRecordSetCurrent,
    handler: async ({ params, caller }) => {
      const { id } = await requireRecordSet(db, params.recordSetId)
      const set = await transact(db, async (tx) => {
        const isMoved = requireMoved(id, await makeCurrent(tx, id))
        const current = await requireRecordSet(tx, id)
        if (isMoved) {
          const { kind, recordCount } = current
          const detail = { recordSetId: String(id), kind, recordCount }
          const actor = actorOf(caller)
          await insertAuditEvent(tx, { actor, action: 'record-set.made-current', detail })
        }
        return current
      })
      return describeRecordSet(set)
    },
  })
}
