/** Work that waits for a slot. */
export type WaitingWork = {
  consumerId: string
  /** It ran for a whole slice before and was set aside, so it is known to take long. */
  isLong: boolean
}

/** Work that has a slot. */
export type RunningWork = WaitingWork & {
  startedAtMs: number
  /** It has been set aside and has not ended yet. */
  isLeaving: boolean
}

export type FairLimits = {
  permits: number
  /** Work that runs for longer than this is long, in milliseconds. */
  sliceMs: number
  /** The last free slot goes only to a consumer that has no other. */
  reservesLast: boolean
}

/** What a consumer has used, as far as it is remembered. */
export type Service = {
  /** Virtual time: milliseconds of its work, counted from what the others had when it came. */
  usedMs: number
  /** Increases with each start, over all consumers. 0: not served yet. */
  lastStart: number
}

type FairTurn<Waiting extends WaitingWork, Running extends RunningWork> = {
  /** In order of arrival. */
  waiting: readonly Waiting[]
  running: readonly Running[]
  serviceOf: (consumerId: string) => Service
  limits: FairLimits
  nowMs: number
}

export type FairChoice<Waiting, Running> =
  | { kind: 'start'; work: Waiting }
  /** Ends the work to start it again later, because another consumer waits. */
  | { kind: 'set-aside'; work: Running }
  /** Nothing can be done before another event, or before the time. */
  | { kind: 'wait'; untilMs?: number }

/**
 * Decides who gets a slot next: the consumer that has used the least, among equals the one that was served longest ago,
 * so a new consumer comes first. Long work never keeps others out: at most one of a consumer and at most all slots but
 * one of all consumers keep their slot while the work of another consumer waits. The others are set aside. Work is set
 * aside at most once; it then starts again only where it may keep its slot.
 */
export function chooseNext<Waiting extends WaitingWork, Running extends RunningWork>(
  turn: FairTurn<Waiting, Running>,
): FairChoice<Waiting, Running> {
  const { waiting, running, limits, nowMs } = turn
  if (running.length < limits.permits) {
    const work = firstOf(turn, running)
    return work ? { kind: 'start', work } : { kind: 'wait' }
  }
  if (waiting.length === 0 || running.some(({ isLeaving }) => isLeaving)) return { kind: 'wait' }
  const work = mayBeSetAside(turn).find((each) => isNeededByAnother(turn, each))
  if (work) return { kind: 'set-aside', work }
  const ends = running
    .map(({ startedAtMs }) => startedAtMs + limits.sliceMs)
    .filter((endMs) => endMs > nowMs && endMs < Number.POSITIVE_INFINITY)
  return ends.length > 0 ? { kind: 'wait', untilMs: Math.min(...ends) } : { kind: 'wait' }
}

/** Returns the work that starts next beside this running work, if any may. */
function firstOf<Waiting extends WaitingWork>(
  { waiting, serviceOf, limits, nowMs }: Omit<FairTurn<Waiting, never>, 'running'>,
  running: readonly RunningWork[],
): Waiting | undefined {
  const isLastFree = limits.permits - running.length === 1
  const long = running.filter((work) => isLong(work, limits, nowMs))
  const mayStart = (work: Waiting) => {
    const isOfSame = ({ consumerId }: RunningWork) => consumerId === work.consumerId
    if (limits.reservesLast && isLastFree && running.some(isOfSame)) return false
    return !work.isLong || (long.length < longMax(limits) && !long.some(isOfSame))
  }
  let first: { work: Waiting; service: Service } | undefined
  for (const work of waiting) {
    const service = serviceOf(work.consumerId)
    if ((!first || isBefore(service, first.service)) && mayStart(work)) first = { work, service }
  }
  return first?.work
}

function isBefore(one: Service, other: Service): boolean {
  return (one.usedMs - other.usedMs || one.lastStart - other.lastStart) < 0
}

/** Returns the long work that may not keep its slot, latest first, since the least of it is lost. */
function mayBeSetAside<Running extends RunningWork>({
  running,
  limits,
  nowMs,
}: Pick<FairTurn<never, Running>, 'running' | 'limits' | 'nowMs'>): Running[] {
  const kept: Running[] = []
  const others: Running[] = []
  const long = running.filter((work) => isLong(work, limits, nowMs))
  // Work that was set aside before goes first, so it is never set aside again.
  const isKeptBefore = (one: Running, other: Running) =>
    Number(other.isLong) - Number(one.isLong) || one.startedAtMs - other.startedAtMs
  for (const work of long.sort(isKeptBefore)) {
    const isFirst = kept.every(({ consumerId }) => consumerId !== work.consumerId)
    if (isFirst && kept.length < longMax(limits)) kept.push(work)
    else others.unshift(work)
  }
  return others
}

/** Whether the work of another consumer would start in the slot of this work. */
function isNeededByAnother<Waiting extends WaitingWork, Running extends RunningWork>(
  turn: FairTurn<Waiting, Running>,
  work: Running,
): boolean {
  const waiting = turn.waiting.filter(({ consumerId }) => consumerId !== work.consumerId)
  const running = turn.running.filter((other) => other !== work)
  return firstOf({ ...turn, waiting }, running) !== undefined
}

function isLong(work: RunningWork, { sliceMs }: FairLimits, nowMs: number): boolean {
  return work.isLong || nowMs - work.startedAtMs >= sliceMs
}

function longMax({ permits }: FairLimits): number {
  return Math.max(permits - 1, 1)
}
