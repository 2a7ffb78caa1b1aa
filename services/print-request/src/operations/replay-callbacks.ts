import { replayCallbacks as operation } from '@despatch/contracts/print-request/callback-operations'
import { replayedOf } from '@despatch/contracts/print-request/replay-outcome'
import { replaysMax } from '@despatch/domain/callback/callback-state'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { countReplayable, saveReplays } from '@despatch/store/callback/replay'
import type { Db } from '@despatch/store/database'
import { chosenCallbacks } from '../callback/own-callbacks.ts'

/**
 * POST /callbacks/replay: a dry run counts the selected callbacks. Otherwise they are sent again, if their number
 * equals the caller's `expectedCount`. An addition to the specification.
 */
export function replayCallbacks(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body, caller }, reply) => {
      const { dryRun, expectedCount = 0 } = body
      const chosen = chosenCallbacks(body, caller)
      if (dryRun) return reply.code(200).send({ dryRun, ...(await countReplayable(db, chosen)) })
      const outcome = await transact(db, (tx) =>
        saveReplays(tx, chosen, { expectedCount, replaysMax }),
      )
      return reply.code(202).send(replayedOf(outcome, expectedCount))
    },
  })
}
