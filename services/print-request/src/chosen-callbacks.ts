import type { callbackFilter } from '@despatch/contracts/print-request/callback'
import type { Caller } from '@despatch/domain/access/caller'
import type { CallbackFilter } from '@despatch/store/callback/filter'
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
