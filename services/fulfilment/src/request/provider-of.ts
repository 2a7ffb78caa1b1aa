import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'

/**
 * Returns the provider that the caller acts for. A caller sees only data of its own provider; any other looks as if it
 * did not exist.
 */
export function providerOf({ providerId }: Caller): string {
  if (providerId === undefined) {
    throw new Problem('not-permitted', 'The credentials do not belong to a print provider')
  }
  return providerId
}
