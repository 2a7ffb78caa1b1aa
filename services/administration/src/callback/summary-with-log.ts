import {
  type CallbackSummaryWithLogResponse,
  renderCallbackSummaryWithLog,
} from '@despatch/contracts/administration/callback'
import { callbackNotFound } from '@despatch/contracts/print-request/problems'
import { findCallback, listCallbackAttempts } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'

/** Returns a callback as operators see it, without its message. Throws a Problem if there is none. */
export async function getCallbackSummaryWithLog(
  db: Db,
  callbackId: string,
): Promise<CallbackSummaryWithLogResponse> {
  const callback = await findCallback(db, {}, callbackId)
  if (!callback) throw callbackNotFound(callbackId)
  return renderCallbackSummaryWithLog(callback, await listCallbackAttempts(db, callbackId))
}
