import { renderRecordSet } from '@despatch/contracts/administration/record-set'
import { beginRecordSet as operation } from '@despatch/contracts/administration/record-set-operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { beginLoading, type RecordSet } from '@despatch/store/record-set/record-sets'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../operator/actor-of.ts'

/** POST /record-sets: creates a set to load rows into, or returns the unfinished one of the same source. */
export function beginRecordSet(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
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
      return reply.code(begun.kind === 'begun' ? 201 : 200).send(renderRecordSet(begun.set))
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
