import type { Credentials } from './session.ts'

/** What the senders of a day do. */
export type SendPlan = {
  accessOrigin: string
  intakeOrigin: string
  senders: readonly (Credentials & { callbackTarget: string })[]
  letters: number
  connectionsPerSender: number
  /** The PDF of most letters, and that of each tenth. */
  smallPath: string
  largePath: string
}

export type SendResult = {
  seconds: number
  /** From the request for an upload address to the accepted letter, without pauses after 429. */
  p50Ms: number
  p99Ms: number
  /** Requests that were answered 429 or 503, and sent again after Retry-After. */
  refusals: Record<string, number>
}

/** What the provider of a day does. */
export type PrintPlan = {
  accessOrigin: string
  fulfilmentOrigin: string
  provider: Credentials
  letters: number
}

export type PrintResult = { runs: number; documents: number; bytes: number }
