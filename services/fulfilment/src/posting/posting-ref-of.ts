import { postingNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Caller } from '@despatch/domain/access/caller'
import { isUuid } from '@despatch/store/is-uuid'
import type { PostingRef } from '@despatch/store/posting/read'
import { providerOf } from '../request/provider-of.ts'

/** Returns the posting that a path names. Throws the Problem for an unknown posting if the text cannot be an id. */
export function postingRefOf({
  caller,
  params: { postingId },
}: {
  caller: Caller
  params: { postingId: string }
}): PostingRef {
  const providerId = providerOf(caller)
  if (!isUuid(postingId)) throw postingNotFound(postingId)
  return { providerId, postingId: postingId.toLowerCase() }
}
