import type { CallbackPerformanceResponse } from '@despatch/contracts/administration/callback-performance'
import { halfHourMs } from '@despatch/domain/calendar/half-hours'
import { inShort } from '../parts/format.ts'

type Consumer = CallbackPerformanceResponse['consumers'][number]
type Origin = Consumer['origins'][number]
export type Performance = Omit<Consumer, 'origins'> & Origin

/** Below these shares of attempts that succeed, an origin is marked. */
const [wellFrom, poorBelow] = [0.99, 0.9]

/** Returns one row for each consumer and origin, the lowest share of successes first, without attempts last. */
export function worstFirst(consumers: readonly Consumer[]): Performance[] {
  const shareOf = ({ attempts, successes }: Origin) => (attempts === 0 ? 2 : successes / attempts)
  return consumers
    .flatMap(({ origins, ...consumer }) => origins.map((origin) => ({ ...consumer, ...origin })))
    .sort((one, other) => shareOf(one) - shareOf(other) || other.dead - one.dead)
}

export type Tone = 'ok' | 'warn' | 'bad' | ''

/** Returns the share of attempts that succeeded, and its tone. It is 100% only if all did. */
export function successOf({ attempts, successes }: Pick<Origin, 'attempts' | 'successes'>): {
  text: string
  tone: Tone
} {
  if (attempts === 0) return { text: '–', tone: '' }
  const share = successes / attempts
  const text = `${share === 1 ? '100' : (Math.floor(share * 1_000) / 10).toFixed(1)}%`
  return { text, tone: share >= wellFrom ? 'ok' : share >= poorBelow ? 'warn' : 'bad' }
}

/**
 * Returns the share of attempts that succeeded in each half hour, null if there were none, the tone of all of them, and
 * the lowest and the last share in words.
 */
export function trendOf(
  { from, delivered, failed }: Origin['halfHours'],
  now = new Date(),
): {
  shares: (number | null)[]
  text: string
  tone: Tone
} {
  const halfHours = delivered.map((successes, index) => ({
    successes,
    attempts: successes + failed[index]!,
  }))
  const shares = halfHours.map(({ successes, attempts }) =>
    attempts === 0 ? null : successes / attempts,
  )
  const { tone } = successOf({
    successes: sumOf(delivered),
    attempts: sumOf(delivered) + sumOf(failed),
  })
  const lowest = Math.min(...shares.filter((share) => share !== null))
  const lastIndex = shares.findLastIndex((share) => share !== null)
  if (lastIndex < 0) return { shares, tone, text: 'no attempts' }
  if (lowest === 1) return { shares, tone, text: 'always 100%' }
  const textOf = (index: number) =>
    `${successOf(halfHours[index]!).text} at ${inShort(new Date(Date.parse(from) + index * halfHourMs).toISOString(), now)}`
  return {
    shares,
    tone,
    text: `lowest ${textOf(shares.lastIndexOf(lowest))}, last ${textOf(lastIndex)}`,
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
