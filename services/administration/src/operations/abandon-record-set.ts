import { renderRecordSet } from '@despatch/contracts/administration/record-set'
import { abandonRecordSet as operation } from '@despatch/contracts/administration/record-set-operations'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { abandonSet } from '@despatch/store/record-set/transitions'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'
import { requireMoved, requireRecordSet } from '../record-set/record-sets.ts'

/** POST /record-sets/{recordSetId}/abandon: the set accepts no more rows. The sweep drops the loaded ones. */
export function abandonRecordSet(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
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
      return renderRecordSet(set)
    },
  })
}
