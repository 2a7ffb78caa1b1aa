import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'

type Day = NonNullable<ConsumerUsageResponse['services'][number]['day']>

const dayMs = 86_400_000
/** Before this much of the day, its requests say little about the rest of it. */
const elapsedMsMin = 3_600_000

/**
 * Returns when the requests of the day reach their limit if they go on as they came so far, as an ISO time. Undefined if
 * they do not, if they have reached it, or if nobody knows yet.
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
