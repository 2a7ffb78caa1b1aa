/** Leave to make a call, or how long to stay away. */
export type Admission = { kind: 'admitted'; leave: () => void } | { kind: 'busy'; delayMs: number }

export type OriginSlots = {
  /** Waits a little for one of the origin's slots. A caller that is admitted must `leave`. */
  enter(origin: string): Promise<Admission>
}

export type OriginSlotsOptions = {
  callsPerOriginMax: number
  /** How long a call may take. */
  callMsMax: number
  /** How long a caller waits for a slot, and a call may take before the origin counts as slow. */
  patienceMs: number
  delayMsMax: number
}

type Call = { startedAt: number }
type Lane = { calls: Set<Call>; waiting: Set<() => void>; nextTurnAt: number }

/**
 * Keeps one origin from taking all workers: a few calls at a time each. At a quick origin callers wait their turn; at
 * a slow one they are sent away for as long as their turn may take, one after another.
 */
export function createOriginSlots(options: OriginSlotsOptions): OriginSlots {
  const lanes = new Map<string, Lane>()

  function admit(origin: string, lane: Lane): Admission {
    const call = { startedAt: performance.now() }
    lane.calls.add(call)
    return { kind: 'admitted', leave: () => leave(origin, lane, call) }
  }

  function leave(origin: string, lane: Lane, call: Call): void {
    lane.calls.delete(call)
    const [next] = lane.waiting
    if (next) next()
    else if (lane.calls.size === 0) lanes.delete(origin)
  }

  return {
    enter: async (origin) => {
      const lane = lanes.get(origin) ?? { calls: new Set(), waiting: new Set(), nextTurnAt: 0 }
      lanes.set(origin, lane)
      if (lane.calls.size < options.callsPerOriginMax) return admit(origin, lane)
      const hasTurn = !isSlow(lane, options.patienceMs) && (await waitForTurn(lane, options.patienceMs))
      return hasTurn ? admit(origin, lane) : { kind: 'busy', delayMs: takeTurn(lane, options) }
    },
  }
}

function isSlow({ calls }: Lane, patienceMs: number): boolean {
  const [oldest] = calls
  return oldest !== undefined && performance.now() - oldest.startedAt > patienceMs
}

/** True when a slot has become free, false when patience is at an end. */
function waitForTurn({ waiting }: Lane, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasTurn: boolean) => {
      clearTimeout(timer)
      waiting.delete(onFree)
      resolve(hasTurn)
    }
    const onFree = () => end(true)
    const timer = setTimeout(() => end(false), patienceMs)
    waiting.add(onFree)
  })
}

function takeTurn(lane: Lane, { callsPerOriginMax, callMsMax, delayMsMax }: OriginSlotsOptions) {
  const now = performance.now()
  const turnAt = Math.max(now, lane.nextTurnAt) + callMsMax / callsPerOriginMax
  lane.nextTurnAt = Math.min(turnAt, now + delayMsMax)
  return lane.nextTurnAt - now
}
