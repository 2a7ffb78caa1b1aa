import type { DriverSourceName } from '@despatch/contracts/driver-sources/operations'
import type { Logger } from '@despatch/telemetry/logger'
import CircuitBreaker from 'opossum'
import type { AskSource, SourceAnswer } from './source-answer.ts'
import type { BreakerState, SourceMetrics } from './source-metrics.ts'

export type BreakerLimits = {
  /** Calls within the window from which on the breaker can open. */
  callsMin: number
  /** It opens when more than so many in a hundred fail. */
  errorPercentage: number
  /** How long it stays open before one call tries the source. */
  resetMs: number
}

export type GuardedSource<Data> = { ask: AskSource<Data>; close(): void }

const windowMs = 10_000

/**
 * Puts a circuit breaker before a source: while too many calls fail, the source gets none and the answer is that it is
 * unavailable; then one call tries it, and decides.
 */
export function guardSource<Data>(
  name: DriverSourceName,
  ask: AskSource<Data>,
  {
    limits: { callsMin, errorPercentage, resetMs },
    metrics,
    log,
  }: { limits: BreakerLimits; metrics: SourceMetrics; log: Logger },
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
  const tell = (state: BreakerState) => {
    metrics.setBreaker(name, state)
    const level = state === 'open' ? 'warn' : 'info'
    log[level]({ source: name, state }, 'driver-source.breaker-changed')
  }
  metrics.setBreaker(name, 'closed')
  breaker.on('open', () => tell('open'))
  breaker.on('halfOpen', () => tell('half-open'))
  breaker.on('close', () => tell('closed'))

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

/** An answer without data, as the breaker wants to see it. */
class NoData extends Error {
  readonly answer: SourceAnswer<never>

  constructor(answer: SourceAnswer<never>) {
    super('the source gave no data')
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
