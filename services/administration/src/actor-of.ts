import type { Caller } from '@despatch/domain/access/caller'

/** How the record of changes names the caller. */
export function actorOf({ consumerId }: Caller): string {
  return `consumer:${consumerId}`
}
