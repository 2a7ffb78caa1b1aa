import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { setConsumerDisabled } from '@despatch/store/access/consumer-credentials'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'

export type DisableOptions = { consumerId: string; actor: string }

/**
 * Disables a consumer: its password is refused at once, its tokens and API key within a second in every process.
 * False: there is no such consumer, or it is disabled already.
 */
export function disableConsumer(db: Db, options: DisableOptions): Promise<boolean> {
  return setDisabled(db, { ...options, isDisabled: true })
}

/** Takes a consumer back with the credentials that it had. False: there is none, or it is not disabled. */
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
