import { replayCallbacks as operation } from '@despatch/contracts/administration/callback-operations'
import { replayedOf } from '@despatch/contracts/print-request/replay-outcome'
import { replaysMax } from '@despatch/domain/callback/callback-state'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { countReplayable, saveReplays } from '@despatch/store/callback/replay'
import type { Db } from '@despatch/store/database'
import { chosenCallbacks } from '../callback/callbacks.ts'
import { actorOf } from '../operator/access.ts'

/**
 * POST /callbacks/replay: a dry run counts the selected callbacks. Otherwise they are sent again, if their number
 * equals the caller's `expectedCount`.
 */
export function replayCallbacks(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }, reply) => {
      const { dryRun, expectedCount = 0 } = body
      const chosen = chosenCallbacks(body)
      if (dryRun) return reply.code(200).send({ dryRun, ...(await countReplayable(db, chosen)) })
      const { consumerId, ...filter } = chosen
      const outcome = await transact(db, async (tx) => {
        const replayed = await saveReplays(tx, chosen, { expectedCount, replaysMax })
        // An unknown consumer has no callbacks, and an audit event cannot reference it.
        if (replayed.kind !== 'replayed' || replayed.count === 0) return replayed
        await insertAuditEvent(tx, {
          actor: actorOf(caller),
          action: 'callbacks.replayed',
          ...(consumerId !== undefined && { consumerId }),
          detail: { ...filter, count: replayed.count },
        })
        return replayed
      })
      return reply.code(202).send(replayedOf(outcome, expectedCount))
    },
  })
}
