import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'

/** The provider for which the caller acts. Everything that is not that provider's is as if it were not there. */
export function providerOf({ providerId }: Caller): string {
  if (providerId === undefined) {
    throw new Problem('not-permitted', 'The credentials are not those of a print provider')
  }
  return providerId
}
