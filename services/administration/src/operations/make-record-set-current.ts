import { renderRecordSet } from '@despatch/contracts/administration/record-set'
import { makeRecordSetCurrent as operation } from '@despatch/contracts/administration/record-set-operations'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { makeCurrent } from '@despatch/store/record-set/transitions'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'
import { requireMoved, requireRecordSet } from '../record-set/record-sets.ts'

/** POST /record-sets/{recordSetId}/make-current: rolls back to the previous set. */
export function makeRecordSetCurrent(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
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
      return renderRecordSet(set)
    },
  })
}
