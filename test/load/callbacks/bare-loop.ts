/** One call that the bare loop makes, as ours makes it: names and values of the headers in turn. */
export type BareCall = { origin: string; path: string; headers: string[]; body: string }

export type BareRequest =
  | { kind: 'calls'; calls: readonly BareCall[] }
  | { kind: 'run'; connectionsPerOrigin: number; underWayMax: number }

/** When the last answer was there, by the monotonic clock. */
export type BareResult = { endedAtMs: number; refusals: number }
