import { rotateSigningKey as rotate } from '@despatch/access/rotate-signing-key'
import type { SealedBox } from '@despatch/access/sealed-box'
import { rotateSigningKey as operation } from '@despatch/contracts/administration/credential-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { actorOf } from '../operator/access.ts'

/** POST /signing-keys/rotate: from now on a new key signs JWTs. */
export function rotateSigningKey(
  api: Api,
  { db, signingKeys }: { db: Db; signingKeys: SealedBox },
): void {
  api.route({
    ...operation,
    handler: async ({ caller }) => {
      const { kid } = await rotate(db, signingKeys, { actor: actorOf(caller) })
      return { kid }
    },
  })
}
