import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { setConsumerDisabled } from '@despatch/store/access/consumer-credentials'
import type { Db } from '@despatch/store/database'

type DisableOptions = { consumerId: string; actor: string }

/**
 * Disables a consumer. Every process refuses its password at once, and its tokens and API key within one second.
 * Returns false if the consumer does not exist or is disabled already.
 */
export function disableConsumer(db: Db, options: DisableOptions): Promise<boolean> {
  return setDisabled(db, { ...options, isDisabled: true })
}

/**
 * Enables a consumer with the credentials that it had. Returns false if the consumer does not exist or is not disabled.
 */
export function enableConsumer(db: Db, options: DisableOptions): Promise<boolean> {
  return setDisabled(db, { ...options, isDisabled: false })
}

function setDisabled(
  db: Db,
  { consumerId, actor, isDisabled }: DisableOptions & { isDisabled: boolean },
): Promise<boolean> {
  return transact(db, async (tx) => {
    if (!(await setConsumerDisabled(tx, { consumerId, isDisabled }))) return false
    const action = isDisabled ? 'consumer.disabled' : 'consumer.enabled'
    await insertAuditEvent(tx, { actor, action, consumerId })
    return true
  })
}
