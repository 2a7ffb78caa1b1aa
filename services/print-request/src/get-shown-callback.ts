import {
  type CallbackWithLogResponse,
  renderCallbackWithLog,
} from '@despatch/contracts/print-request/callback'
import { callbackNotFound } from '@despatch/contracts/print-request/problems'
import type { Caller } from '@despatch/domain/access/caller'
import { findCallback, listCallbackAttempts } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'

/**
 * Returns the caller's callback in its response form. Throws a Problem if it does not exist or belongs to another
 * consumer; both look the same.
 */
export async function getCallbackWithLog(
  db: Db,
  { consumerId }: Caller,
  callbackId: string,
): Promise<CallbackWithLogResponse> {
  const callback = await findCallback(db, { consumerId }, callbackId)
  if (!callback) throw callbackNotFound(callbackId)
  return renderCallbackWithLog(callback, await listCallbackAttempts(db, callbackId))
}
