/** One call of the bare loop, equal to one of ours. `headers` holds names and values alternately. */
export type BareCall = { origin: string; path: string; headers: string[]; body: string }

export type BareRequest =
  | { kind: 'calls'; calls: readonly BareCall[] }
  | { kind: 'run'; connectionsPerOrigin: number; underWayMax: number }

/** When the last answer arrived, by the monotonic clock. */
export type BareResult = { endedAtMs: number; refusals: number }
