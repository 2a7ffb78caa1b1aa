/** Load on one server: each connection sends its next request after the previous one is answered. */
export type LoadPlan = {
  origin: string
  path: string
  headers: Record<string, string>
  /** Headers that the requests have besides, in turn. */
  headersInTurn?: readonly Record<string, string>[]
  body: Body
  connections: number
  seconds: number
  requestsMax: number
  /** The first number of the requests. */
  firstNumber: number
}

/**
 * A text that contains the mark once: each request replaces it by a number of the same length, so that no two are
 * equal. Or a file with one body per line, which are sent in turn, repeatedly.
 */
export type Body = string | { path: string }

export const mark = '000000000000'

export type LoadResult = {
  requests: number
  seconds: number
  p50Ms: number
  p99Ms: number
  /** Answers other than 2xx, by status. */
  refusals: Record<string, number>
}
