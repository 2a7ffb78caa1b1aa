import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'

type Day = NonNullable<ConsumerUsageResponse['services'][number]['day']>

const dayMs = 86_400_000
/** Before this much of the day, its requests say little about the rest of it. */
const elapsedMsMin = 3_600_000

/**
 * Returns, as an ISO time, when the requests of the day reach their limit at the pace so far. Undefined if they will
 * not, if they have reached it, or if it is too early to say.
 */
export function whenFull(
  { requestsPerDay, usedAbout, endsAt, isKnown }: Day,
  at: string,
): string | undefined {
  if (!isKnown || !usedAbout || usedAbout >= requestsPerDay) return undefined
  const end = Date.parse(endsAt)
  const begin = end - dayMs
  const elapsed = Date.parse(at) - begin
  if (elapsed < elapsedMsMin) return undefined
  const full = begin + (elapsed * requestsPerDay) / usedAbout
  return full < end ? new Date(full).toISOString() : undefined
}
