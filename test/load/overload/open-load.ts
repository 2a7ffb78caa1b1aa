import type { LoadPlan } from '../intake/load.ts'

/** Load that comes whether or not what came before is answered: so many requests in each second. */
export type OpenLoadPlan = Pick<LoadPlan, 'origin' | 'path' | 'headers' | 'firstNumber'> & {
  /** One text that holds the mark once. */
  body: string
  requestsPerSecond: number
  seconds: number
}

export type OpenLoadResult = {
  sent: number
  accepted: number
  /** Answered 503 with Retry-After. */
  shed: number
  /** Everything else, by status or by why there was no answer. */
  others: Record<string, number>
  /** Of accepted requests, from when each was due to be sent. */
  p50Ms: number
  p99Ms: number
  seconds: number
}
