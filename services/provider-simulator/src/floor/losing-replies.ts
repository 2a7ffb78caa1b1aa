import { chance } from './chance.ts'
import type { FloorSettings } from './settings.ts'

export type Fetch = typeof globalThis.fetch

/** Wraps `fetch` so that some responses are lost after the server has done the work. */
export function losingReplies(
  fetch: Fetch,
  { seed, lostReplyRate }: Pick<FloorSettings, 'seed' | 'lostReplyRate'>,
): Fetch {
  let calls = 0
  return async (input, init) => {
    const response = await fetch(input, init)
    calls += 1
    if (chance(seed, 'lost reply', calls) >= lostReplyRate) return response
    await response.body?.cancel()
    throw new Error('the reply was lost, as configured')
  }
}
