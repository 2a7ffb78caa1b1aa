import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { raiseTokenGeneration } from '@despatch/store/access/consumer-credentials'
import type { Db } from '@despatch/store/database'

type EndTokensOptions = { consumerId: string; actor: string }

/**
 * Ends the tokens and the console sessions of a consumer. Its password and API key continue to work. Every process
 * refuses the tokens within one second. Returns false if the consumer does not exist.
 */
export function endTokens(db: Db, { consumerId, actor }: EndTokensOptions): Promise<boolean> {
  return transact(db, async (tx) => {
    if (!(await raiseTokenGeneration(tx, consumerId))) return false
    await insertAuditEvent(tx, { actor, action: 'tokens.ended', consumerId })
    return true
  })
}
