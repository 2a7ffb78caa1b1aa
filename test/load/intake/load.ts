/** Load for one server: every connection sends its next request when the last one is answered. */
export type LoadPlan = {
  origin: string
  path: string
  headers: Record<string, string>
  body: Body
  connections: number
  seconds: number
  requestsMax: number
  /** The numbers begin here. */
  firstNumber: number
}

/**
 * One text that holds the mark once: a number of as many characters stands there in each request, so that no two are the
 * same. Or a file with a body on each line, which are sent in turn and then again.
 */
export type Body = string | { path: string }

export const mark = '000000000000'

export type LoadResult = {
  requests: number
  seconds: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** Answers other than 2xx, by status. */
  refusals: Record<string, number>
}
