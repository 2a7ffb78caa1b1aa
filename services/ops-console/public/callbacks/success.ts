import type { CallbackPerformanceResponse } from '@despatch/contracts/administration/callback-performance'

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

/** Returns the share of attempts that succeeded, and its tone. It is 100% only if all did. */
export function successOf({ attempts, successes }: Pick<Origin, 'attempts' | 'successes'>): {
  text: string
  tone: 'ok' | 'warn' | 'bad' | ''
} {
  if (attempts === 0) return { text: '–', tone: '' }
  const share = successes / attempts
  const text = `${share === 1 ? '100' : (Math.floor(share * 1_000) / 10).toFixed(1)}%`
  return { text, tone: share >= wellFrom ? 'ok' : share >= poorBelow ? 'warn' : 'bad' }
}
