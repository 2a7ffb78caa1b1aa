import {
  renderShownOverseenCallback,
  type ShownOverseenCallbackResponse,
} from '@despatch/contracts/administration/callback'
import { callbackNotFound } from '@despatch/contracts/print-request/problems'
import { findCallback, listCallbackAttempts } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'

/** Returns a callback as operators see it, without its message. Throws a Problem if there is none. */
export async function getOverseenCallback(
  db: Db,
  callbackId: string,
): Promise<ShownOverseenCallbackResponse> {
  const callback = await findCallback(db, {}, callbackId)
  if (!callback) throw callbackNotFound(callbackId)
  return renderShownOverseenCallback(callback, await listCallbackAttempts(db, callbackId))
}
