import { renderRecordSet } from '@despatch/contracts/administration/record-set'
import { publishRecordSet as operation } from '@despatch/contracts/administration/record-set-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { beginPublishing } from '@despatch/store/record-set/transitions'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'
import type { RecordSetPublisher } from '../record-set/publisher.ts'
import { requireMoved, requireRecordSet } from '../record-set/record-sets.ts'

type Effects = { db: Db; publisher: RecordSetPublisher }

/** POST /record-sets/{recordSetId}/publish: prepares the set in the background and then makes it the current one. */
export function publishRecordSet(api: Api, { db, publisher }: Effects): void {
  api.route({
    ...operation,
    handler: async ({ params, caller }, reply) => {
      const { id } = await requireRecordSet(db, params.recordSetId)
      requireMoved(id, await transact(db, (tx) => beginPublishing(tx, id)))
      const set = await requireRecordSet(db, id)
      if (set.state === 'CURRENT') return reply.code(200).send(renderRecordSet(set))
      await publisher.publish(id, actorOf(caller))
      return reply.code(202).send(renderRecordSet({ ...set, isBeingPublished: true }))
    },
  })
}
