import type { ReceivedCall } from '../../stack/callbacks/recording-receiver.ts'
import type { Attempt, Deliveries, NewCallback } from '../facts/deliveries.ts'
import { applyRules, type Finding, type Found } from './finding.ts'

export type Rule = (typeof rules)[number]['rule']

/**
 * How late after the end of its window an attempt may begin: another callback of the print job may wait in a turn for a
 * second, and then its call takes 15 s. The next look comes within half a second.
 */
const lateMsMax = 16_500
const callsPerOriginMax = 8
/** A higher limit applies to calls that are the last of their windows. */
const lastCallsPerOriginMax = 32
/** How long after a thaw a process may still send the call that it was about to make. */
const callAfterThawMsMax = 1_000
/** The database and the consumers use the same clock. Timestamps are truncated to milliseconds. */
const roundingMs = 2

/**
 * Checks what consumers saw against what the database says of it. Pure: the same deliveries produce the same findings.
 * An empty list means that nothing was lost, and that each repeated delivery was unavoidable.
 */
export function checkDeliveries(deliveries: Deliveries): Finding<Rule>[] {
  const callsOf = Map.groupBy(deliveries.calls, ({ id }) => id)
  return applyRules(rules, { ...deliveries, callsOf })
}

type Facts = Deliveries & { callsOf: ReadonlyMap<string, readonly ReceivedCall[]> }

const rules = [
  { rule: 'every callback comes to its end', check: findUnfinished },
  { rule: 'every callback is attempted', check: findUnattempted },
  { rule: 'what is delivered was taken', check: findUntaken },
  { rule: 'nothing is called after its end', check: findLateCalls },
  { rule: 'every call has the bytes of its callback', check: findAltered },
  { rule: 'every call is an attempt', check: findUnrecorded },
  { rule: 'what is taken twice was in doubt', check: findRepeated },
  { rule: 'what is interrupted was struck', check: findUnstruck },
  { rule: 'attempts are numbered without gaps', check: findGaps },
  { rule: 'no attempt comes after its window', check: findPastWindow },
  { rule: 'nothing is given up before its window ends', check: findGivenUp },
  { rule: 'without retries there is one attempt', check: findRetried },
  { rule: 'of a print job one call at a time', check: findOverlaps },
  {
    rule: 'where nothing fails, the callbacks of a print job arrive in order',
    check: findDisorder,
  },
  { rule: 'strict order goes one after another', check: findOvertaken },
  { rule: 'an origin is called within its limits', check: findCrowds },
] as const

function isOver({ state }: NewCallback): boolean {
  return state === 'DELIVERED' || state === 'DEAD'
}

function findUnfinished({ callbacks }: Facts): Found[] {
  return callbacks
    .filter((callback) => !isOver(callback))
    .map(({ id, state }) => [id, `is ${state}`])
}

function findUnattempted({ callbacks }: Facts): Found[] {
  return callbacks
    .filter(({ endReason, attempts }) => endReason !== 'gone' && attempts.length === 0)
    .map(({ id, state }) => [id, `is ${state} without an attempt`])
}

function findUntaken({ callbacks, callsOf }: Facts): Found[] {
  return callbacks
    .filter(({ state }) => state === 'DELIVERED')
    .filter(({ id }) => !callsOf.get(id)?.some(({ isAccepted }) => isAccepted))
    .map(({ id }) => [id, 'was not taken by its consumer'])
}

// A process that is frozen between its last look at the clock and the sending still sends one call as soon as it
// resumes.
function findLateCalls({ callbacks, callsOf, thaws }: Facts): Found[] {
  const late = callbacks
    .flatMap(({ id, state, endedAt }) =>
      (callsOf.get(id) ?? []).map(({ arrivedAt }) => ({ id, state, endedAt, arrivedAt })),
    )
    .filter(({ endedAt, arrivedAt }) => endedAt !== null && arrivedAt > endedAt)
  const excused = new Set(
    thaws.map((at) =>
      late.find(({ arrivedAt }) => arrivedAt >= at && arrivedAt <= at + callAfterThawMsMax),
    ),
  )
  return late
    .filter((call) => !excused.has(call))
    .map(({ id, state, endedAt, arrivedAt }) => [
      id,
      `was called ${Math.round(arrivedAt - (endedAt ?? 0))} ms after it was ${state}`,
    ])
}

function findAltered({ callbacks, calls }: Facts): Found[] {
  const hashes = new Map(callbacks.map(({ id, sha256 }) => [id, sha256]))
  return calls.flatMap(({ id, sha256 }): Found[] => {
    const owed = hashes.get(id)
    if (owed === sha256) return []
    return [[id, owed === undefined ? 'was never owed' : 'came with other bytes']]
  })
}

function findUnrecorded({ callbacks, callsOf }: Facts): Found[] {
  return callbacks.flatMap(({ id, attempts }): Found[] => {
    const count = callsOf.get(id)?.length ?? 0
    if (count <= attempts.length) return []
    return [[id, `was called ${count} times in ${attempts.length} attempts`]]
  })
}

/** The call may have arrived: the deliverer did not see the answer, or was killed before it could. */
function isInDoubt({ outcome }: Attempt): boolean {
  return outcome === 'interrupted' || outcome === 'unknown' || outcome === 'timeout'
}

function findRepeated({ callbacks, callsOf }: Facts): Found[] {
  return callbacks.flatMap(({ id, attempts }): Found[] => {
    const taken = (callsOf.get(id) ?? []).filter(({ isAccepted }) => isAccepted).length
    const doubts = attempts.filter(isInDoubt).length
    if (taken <= 1 + doubts) return []
    return [[id, `was taken ${taken} times with ${doubts} attempts in doubt`]]
  })
}

function findUnstruck({ callbacks, blows }: Facts): Found[] {
  return callbacks.flatMap(({ id, attempts }) =>
    attempts
      .filter(({ outcome }) => outcome === 'interrupted')
      .filter(
        ({ startedAt, endedAt }) =>
          !blows.some((at) => at >= startedAt - roundingMs && at <= endedAt + roundingMs),
      )
      .map(({ number }): Found => [id, `attempt ${number} was interrupted by nobody`]),
  )
}

function findGaps({ callbacks }: Facts): Found[] {
  return callbacks.flatMap(({ id, attemptCount, attempts }): Found[] => {
    const gap = attempts.findIndex(({ number }, index) => number !== index + 1)
    if (gap >= 0) return [[id, `attempt ${gap + 1} has the number ${attempts[gap]!.number}`]]
    if (attempts.length === attemptCount) return []
    return [[id, `has ${attempts.length} attempts and counts ${attemptCount}`]]
  })
}

// While an interrupted attempt has its lease, no other attempt of the print job can be made.
function findPastWindow({ callbacks }: Facts): Found[] {
  const interrupted = Map.groupBy(
    callbacks.flatMap(({ printJobKey, attempts }) =>
      attempts
        .filter(({ outcome }) => outcome === 'interrupted')
        .map((attempt) => ({ printJobKey, ...attempt })),
    ),
    ({ printJobKey }) => printJobKey,
  )
  return callbacks.flatMap(({ id, printJobKey, windowEndsAt, attempts }): Found[] => {
    if (windowEndsAt === null) return []
    return attempts.flatMap(({ number, startedAt }): Found[] => {
      const held = interrupted.get(printJobKey)?.filter((other) => other.startedAt < startedAt)
      const lateMs = startedAt - Math.max(windowEndsAt, ...(held ?? []).map((each) => each.endedAt))
      if (lateMs <= lateMsMax) return []
      return [[id, `attempt ${number} came ${Math.round(lateMs)} ms late`]]
    })
  })
}

function findGivenUp({ callbacks }: Facts): Found[] {
  return callbacks.flatMap(({ id, endReason, windowEndsAt, attempts }): Found[] => {
    if (endReason !== 'window-ended') return []
    const leftMs = (windowEndsAt ?? Infinity) - (attempts.at(-1)?.endedAt ?? 0)
    return leftMs <= roundingMs ? [] : [[id, `was given up ${Math.round(leftMs)} ms too early`]]
  })
}

function findRetried({ callbacks }: Facts): Found[] {
  return callbacks
    .filter(({ isRetried }) => !isRetried)
    .flatMap(({ id, attempts }): Found[] => {
      const made = attempts.filter(({ outcome }) => outcome !== 'interrupted').length
      return made <= 1 ? [] : [[id, `was attempted ${made} times`]]
    })
}

function findOverlaps({ callbacks, calls }: Facts): Found[] {
  const printJobs = new Map(callbacks.map(({ id, printJobKey }) => [id, printJobKey]))
  const groups = Map.groupBy(calls, ({ id }) => printJobs.get(id) ?? id)
  return [...groups].flatMap(([key, called]) => {
    const inTurn = called.toSorted(byArrival)
    return inTurn.flatMap((call, index): Found[] => {
      const before = inTurn[index - 1]
      if (!before || call.arrivedAt >= (before.endedAt ?? Infinity)) return []
      return [[key, `callback ${call.id} came while ${before.id} was under way`]]
    })
  })
}

function findDisorder({ callbacks, callsOf }: Facts): Found[] {
  const groups = Map.groupBy(callbacks, ({ printJobKey }) => printJobKey)
  return [...groups]
    .filter(([, owed]) => owed.every(wasDeliveredAtOnce))
    .flatMap(([key, owed]) => {
      const arrivals = owed
        .toSorted((one, other) => one.sequence - other.sequence)
        .map(({ id }) => callsOf.get(id)?.[0]?.arrivedAt ?? Infinity)
      const place = arrivals.findIndex((at, index) => at < (arrivals[index - 1] ?? 0))
      return place < 0 ? [] : [[key, `number ${place + 1} came before ${place}`] satisfies Found]
    })
}

function wasDeliveredAtOnce({ state, attempts }: NewCallback): boolean {
  return state === 'DELIVERED' && attempts.length === 1
}

function findOvertaken({ callbacks, callsOf }: Facts): Found[] {
  const strict = callbacks.filter(({ strictContractId }) => strictContractId !== null)
  return [...Map.groupBy(strict, ({ strictContractId }) => strictContractId!)].flatMap(
    ([contractId, owed]) =>
      owed.flatMap(({ id }, index): Found[] => {
        const before = owed[index - 1]
        const firstAt = callsOf.get(id)?.[0]?.arrivedAt ?? Infinity
        if (!before || firstAt >= Math.floor(before.endedAt ?? Infinity)) return []
        return [[contractId, `callback ${id} was called before ${before.id} had ended`]]
      }),
  )
}

function findCrowds({ callbacks, calls }: Facts): Found[] {
  const windows = new Map(callbacks.map(({ id, windowEndsAt }) => [id, windowEndsAt]))
  const isLast = ({ id, arrivedAt }: ReceivedCall) => arrivedAt >= (windows.get(id) ?? Infinity)
  return [...Map.groupBy(calls, ({ origin }) => origin)].flatMap(([origin, called]): Found[] => {
    const most = mostAtOnce(called)
    const mostOthers = mostAtOnce(called.filter((call) => !isLast(call)))
    if (mostOthers > callsPerOriginMax) return [[origin, `got ${mostOthers} calls at a time`]]
    return most > lastCallsPerOriginMax ? [[origin, `got ${most} last calls at a time`]] : []
  })
}

function mostAtOnce(calls: readonly ReceivedCall[]): number {
  let most = 0
  let underWay: readonly ReceivedCall[] = []
  for (const call of calls.toSorted(byArrival)) {
    underWay = [...underWay.filter(({ endedAt }) => (endedAt ?? Infinity) > call.arrivedAt), call]
    most = Math.max(most, underWay.length)
  }
  return most
}

function byArrival(one: ReceivedCall, other: ReceivedCall): number {
  return one.arrivedAt - other.arrivedAt
}
