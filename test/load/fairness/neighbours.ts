export const submitPath = '/print-request/v1/print/jobs'
export const validatePath = `${submitPath}/validate`

type Headers = Record<string, string>

export type HostilePlan = {
  origin: string
  /** Of the four hostile consumers. */
  headers: readonly Headers[]
  requestsPerSecond: number
  seconds: number
}

/** How often each hostile consumer got each status. */
export type HostileResult = Record<string, Record<string, number>>
