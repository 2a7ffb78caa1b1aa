import type { LoadPlan } from '../intake/load.ts'

/** Load at a fixed rate, whether or not earlier requests are answered. */
export type OpenLoadPlan = Pick<LoadPlan, 'origin' | 'path' | 'headers' | 'firstNumber'> & {
  /** A text that contains the mark once. */
  body: string
  requestsPerSecond: number
  seconds: number
}

export type OpenLoadResult = {
  sent: number
  accepted: number
  /** Answered 503 with Retry-After. */
  shed: number
  /** All other answers, by status or by the reason why there was none. */
  others: Record<string, number>
  /** Latencies of accepted requests, from when each was due to be sent. */
  p50Ms: number
  p99Ms: number
  seconds: number
}
