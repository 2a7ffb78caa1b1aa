import type { Caller } from '@despatch/domain/access/caller'

/** Returns the caller's name in the audit log. */
export function actorOf({ consumerId }: Caller): string {
  return `consumer:${consumerId}`
}
