import type { DriverSourceName } from '@despatch/contracts/driver-sources/operations'
import type { Logger } from '@despatch/telemetry/logger'
import CircuitBreaker from 'opossum'
import type { AskSource, SourceAnswer } from './source-answer.ts'
import type { BreakerState, SourceMetrics } from './source-metrics.ts'

export type BreakerLimits = {
  /** The breaker can open after this many calls within the window. */
  callsMin: number
  /** How long the breaker stays open before one call tests the source. */
  resetMs: number
}

type GuardedSource<Data> = { ask: AskSource<Data>; close(): void }

const windowMs = 10_000
/** The breaker opens if more than this percentage of calls fail: answers are then more often late than useful. */
const errorPercentage = 50
/** Ten calls are enough to tell a failing source from one failed call. */
const breakerLimits: BreakerLimits = { callsMin: 10, resetMs: 10_000 }

/**
 * Wraps a source in a circuit breaker. While too many calls fail, the source is not called and the answer is
 * 'unavailable'. One call then tests the source and decides whether the breaker closes.
 */
export function guardSource<Data>(
  name: DriverSourceName,
  ask: AskSource<Data>,
  {
    limits: { callsMin, resetMs } = breakerLimits,
    metrics,
    log,
  }: { limits?: BreakerLimits | undefined; metrics: SourceMetrics; log: Logger },
): GuardedSource<Data> {
  const breaker = new CircuitBreaker(answerOrThrow(ask, metrics.timer(name)), {
    name,
    // each call has its own deadline, which also ends it
    timeout: false,
    volumeThreshold: callsMin,
    errorThresholdPercentage: errorPercentage,
    resetTimeout: resetMs,
    rollingCountTimeout: windowMs,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  })
  const logState = (state: BreakerState) => {
    metrics.setBreaker(name, state)
    const level = state === 'open' ? 'warn' : 'info'
    log[level]({ source: name, state }, 'driver-source.breaker-changed')
  }
  metrics.setBreaker(name, 'closed')
  breaker.on('open', () => logState('open'))
  breaker.on('halfOpen', () => logState('half-open'))
  breaker.on('close', () => logState('closed'))

  return {
    async ask(drivingLicenceNumber, correlationId) {
      const answer = await breaker
        .fire(drivingLicenceNumber, correlationId)
        .catch((error: unknown) => readFailure(error))
      metrics.count(name, answer.kind)
      return answer
    },
    close: () => breaker.shutdown(),
  }
}

/** An answer without data, in the form that the breaker requires. */
class NoData extends Error {
  readonly answer: SourceAnswer<never>

  constructor(answer: SourceAnswer<never>) {
    super('the source returned no data')
    this.answer = answer
  }
}

function answerOrThrow<Data>(ask: AskSource<Data>, startTimer: () => () => void) {
  return async (...args: Parameters<AskSource<Data>>): Promise<SourceAnswer<Data>> => {
    const stopTimer = startTimer()
    const answer = await ask(...args)
    stopTimer()
    if (answer.kind !== 'answered') throw new NoData(answer)
    return answer
  }
}

function readFailure(error: unknown): SourceAnswer<never> {
  if (error instanceof NoData) return error.answer
  if ((error as { code?: unknown }).code === 'EOPENBREAKER') {
    return { kind: 'unavailable', reason: 'breaker-open' }
  }
  throw error
}
