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
type Lane = { calls: Set<Call>; waiting: Set<(admission: Admission) => void>; nextTurnAt: number }

/**
 * Keeps one origin from taking all workers: a few calls at a time each. At a quick origin callers wait their turn; at
 * a slow one they are sent away for as long as their turn may take, one after another.
 */
export function createOriginSlots(options: OriginSlotsOptions): OriginSlots {
  const { callsPerOriginMax, patienceMs } = options
  const lanes = new Map<string, Lane>()

  function admit(origin: string, lane: Lane): Admission {
    const call = { startedAt: performance.now() }
    lane.calls.add(call)
    return { kind: 'admitted', leave: () => leave(origin, lane, call) }
  }

  function leave(origin: string, lane: Lane, call: Call): void {
    if (!lane.calls.delete(call)) return
    const [next] = lane.waiting
    if (next) next(admit(origin, lane))
    else if (lane.calls.size === 0) lanes.delete(origin)
  }

  return {
    enter: async (origin) => {
      const lane = lanes.get(origin) ?? { calls: new Set(), waiting: new Set(), nextTurnAt: 0 }
      lanes.set(origin, lane)
      if (lane.calls.size < callsPerOriginMax) return admit(origin, lane)
      const admission = isSlow(lane, patienceMs) ? undefined : await waitForTurn(lane, patienceMs)
      return admission ?? { kind: 'busy', delayMs: takeTurn(lane, options) }
    },
  }
}

function isSlow({ calls }: Lane, patienceMs: number): boolean {
  const [oldest] = calls
  return oldest !== undefined && performance.now() - oldest.startedAt > patienceMs
}

/** Undefined when no slot became free for as long as patience lasts. */
function waitForTurn({ waiting }: Lane, patienceMs: number): Promise<Admission | undefined> {
  return new Promise((resolve) => {
    const end = (admission?: Admission) => {
      clearTimeout(timer)
      waiting.delete(end)
      resolve(admission)
    }
    const timer = setTimeout(end, patienceMs)
    waiting.add(end)
  })
}

function takeTurn(lane: Lane, { callsPerOriginMax, callMsMax, delayMsMax }: OriginSlotsOptions) {
  const now = performance.now()
  const turnAt = Math.max(now, lane.nextTurnAt) + callMsMax / callsPerOriginMax
  lane.nextTurnAt = Math.min(turnAt, now + delayMsMax)
  return lane.nextTurnAt - now
}
