import { type OutageHistory, requestsOf } from './check-outage.ts'

type Measured = { parkedAtMost: number; repliesLost: number; restarts: number }

/** What there was to tell of a run, besides what broke the rules. */
export function countOutage(
  history: OutageHistory,
  { parkedAtMost, repliesLost, restarts }: Measured,
): Record<string, number> {
  const { kept, deliveries, endedAt } = history
  const asked = requestsOf(history).filter(({ operation }) => operation !== 'fill-upload')
  const posts = asked.filter(({ operation }) => operation === 'post')
  const answers = Map.groupBy(asked, ({ status }) => String(status ?? 'nothing'))
  const early = kept.filter(({ submittedAt }) => submittedAt <= endedAt)
  const lastPendingAt = Math.max(endedAt, ...early.map(({ pendingAt }) => pendingAt ?? Infinity))
  const accepted = deliveries.calls.filter(({ isAccepted }) => isAccepted)
  return {
    'letters posted': new Set(posts.map(({ id }) => id)).size,
    'letters kept': kept.length,
    ...Object.fromEntries(
      [...answers]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([status, of]) => [`answered ${status}`, of.length]),
    ),
    'PENDING or further': kept.filter(({ pendingAt }) => pendingAt !== null).length,
    ...(lastPendingAt < Infinity && {
      'seconds until all of the outage were PENDING': Math.ceil((lastPendingAt - endedAt) / 1_000),
    }),
    'parked at most': parkedAtMost,
    'parked in the end': kept.filter(({ isParked }) => isParked).length,
    rejected: kept.filter(({ status }) => status === 'REJECTED').length,
    'callbacks delivered': deliveries.callbacks.filter(({ state }) => state === 'DELIVERED').length,
    'callbacks taken twice': accepted.length - new Set(accepted.map(({ id }) => id)).size,
    'replies of the database lost': repliesLost,
    'services started again': restarts,
  }
}
