import { callbackNotFound } from '@despatch/contracts/print-request/problems'
import type { CallbackFilter } from '@despatch/store/callback/filter'
import { findCallback, listCallbackAttempts } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'

type CallbackQuery = { [Name in keyof Omit<CallbackFilter, Moment>]?: CallbackFilter[Name] } & {
  [Name in Moment]?: string | undefined
}
type Moment = 'createdFrom' | 'createdTo'

/** Returns the filter for the callbacks that an operator selects: those of all consumers, unless one is named. */
export function chosenCallbacks(query: CallbackQuery): CallbackFilter {
  const { consumerId, origin, status, reason, jobId, createdFrom, createdTo } = query
  return {
    ...(consumerId !== undefined && { consumerId }),
    ...(origin !== undefined && { origin: asKept(origin) }),
    ...(status && { status }),
    ...(reason && { reason }),
    ...(jobId !== undefined && { jobId }),
    ...(createdFrom !== undefined && { createdFrom: new Date(createdFrom) }),
    ...(createdTo !== undefined && { createdTo: new Date(createdTo) }),
  }
}

/** Origins are stored in the form of URLs: in lower case, without the default port of the scheme. */
function asKept(origin: string): string {
  return URL.parse(origin)?.origin ?? origin
}

/** Returns a callback as operators see it, without its message. Throws a Problem if there is none. */
export async function getCallbackSummaryWithLog(db: Db, callbackId: string) {
  const callback = await findCallback(db, {}, callbackId)
  if (!callback) throw callbackNotFound(callbackId)
  return { ...callback, log: await listCallbackAttempts(db, callbackId) }
}
