import type { callbackFilter } from '@despatch/contracts/print-request/callback'
import { callbackNotFound } from '@despatch/contracts/print-request/problems'
import type { Caller } from '@despatch/domain/access/caller'
import type { CallbackFilter } from '@despatch/store/callback/filter'
import { findCallback, listCallbackAttempts } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'
import type { z } from 'zod'

type CallbackQuery = z.output<z.ZodObject<typeof callbackFilter>>

/**
 * Returns the filter for the callbacks that a request selects. It always limits the result to the caller's own
 * callbacks.
 */
export function chosenCallbacks(query: CallbackQuery, { consumerId }: Caller): CallbackFilter {
  const { status, reason, jobId, createdFrom, createdTo } = query
  return {
    consumerId,
    status,
    reason,
    jobId,
    createdFrom: createdFrom === undefined ? undefined : new Date(createdFrom),
    createdTo: createdTo === undefined ? undefined : new Date(createdTo),
  }
}

/**
 * Returns the caller's callback with every attempt. Throws a Problem if it does not exist or belongs to another
 * consumer; both look the same.
 */
export async function getCallbackWithLog(db: Db, { consumerId }: Caller, callbackId: string) {
  const callback = await findCallback(db, { consumerId }, callbackId)
  if (!callback) throw callbackNotFound(callbackId)
  return { ...callback, log: await listCallbackAttempts(db, callbackId) }
}
