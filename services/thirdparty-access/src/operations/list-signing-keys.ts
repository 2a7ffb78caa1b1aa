import { listPublicKeys } from '@despatch/access/verification-keys'
import { listSigningKeys as operation } from '@despatch/contracts/thirdparty-access/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'

const cacheSeconds = 300

/** GET /jwks.json: returns the public keys, with which anyone can verify a token. */
export function listSigningKeys(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    config: { open: true },
    handler: async (_request, reply) => {
      reply.header('cache-control', `public, max-age=${cacheSeconds}`)
      return { keys: await listPublicKeys(db) }
    },
  })
}
