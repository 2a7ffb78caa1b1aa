import { changeApiKey as change } from '@despatch/access/change-api-key'
import { changeApiKey as operation } from '@despatch/contracts/thirdparty-access/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'

export type ChangeApiKeyContext = { db: Db; now: () => Date }

/** POST /new-api-key: replaces the API key of the request with a new one. */
export function changeApiKey(api: Api, { db, now }: ChangeApiKeyContext): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { consumerId, apiKeyHash: expectedHash } = request.caller
      const outcome = await change({
        db,
        consumerId,
        expectedHash,
        endTokens: request.body?.endTokens,
        actor: `consumer:${consumerId}`,
        now,
        // a caller that has disconnected would never learn the new key
        isWanted: () => !request.raw.socket.destroyed,
      })
      switch (outcome.kind) {
        case 'changed':
          return { newApiKey: outcome.apiKey }
        case 'under-way':
          throw new Problem(
            'api-key-changing',
            'Another request is changing the API key; this request changed nothing',
          )
        case 'refused':
          throw new Problem('not-authenticated', 'The API key was changed in the meantime')
        case 'unwanted':
          throw new Problem('unreadable-body', 'The caller has disconnected')
      }
    },
  })
}
