import type { Change } from '../facts/changes.ts'
import { applyRules, type Finding, type Found } from './finding.ts'

export type Rule = (typeof rules)[number]['rule']

/**
 * Judges how the work was done, regardless of its result: which process had the lease of a batch or had taken a letter
 * or a callback, and which process wrote. Pure: the same changes produce the same findings.
 */
export function checkChanges(changes: readonly Change[]): Finding<Rule>[] {
  const firstServer = changes[0]?.serverBegan ?? 0
  return applyRules(
    rules,
    [...Map.groupBy(changes, ({ kind, key }) => `${kind} ${key}`)].map(([subject, ofRow]) =>
      toTrack(subject, ofRow, firstServer),
    ),
  )
}

const rules = [
  { rule: 'an epoch rises by one', check: findJumps },
  { rule: 'work is taken when no lease runs', check: findOverlaps },
  { rule: 'a lease is changed by its holder, or after its end', check: findIntruders },
  { rule: 'a status moves under the epoch of who moves it', check: findStaleMoves },
  { rule: 'a status is entered once', check: findRepeats },
] as const

/** The changes of one row, each with the process that had the lease at that time. */
type Track = { subject: string; steps: readonly Step[] }
type Step = Change & {
  holder: string | undefined
  /** The writer had taken the row under the epoch that it had before the change, or may have. */
  hasTaken: boolean
  /** Who had taken the row first under that epoch. Undefined also after a crash, which may lose a batch of callbacks. */
  takenBy: string | undefined
}

/**
 * Nobody waits for the commit in which a worker takes a batch, so a crash of the database may lose it, with its record
 * here. The worker still goes on, because its letters have their epochs. So after a crash a letter may be moved by a
 * worker that has no record of taking it, or under an epoch of which nobody has one.
 */
function toTrack(subject: string, changes: readonly Change[], firstServer: number): Track {
  let holder: string | undefined
  const taken = new Set<string>()
  const takers = new Set<string>()
  const firstTakers = new Map<number, string>()
  const steps = changes.map((change) => {
    const { kind, writer, serverBegan, before, after } = change
    const asTaken = `${writer} ${before.epoch}`
    const isUnrecorded = !takers.has(writer) || !firstTakers.has(before.epoch)
    const mayBeLost = kind === 'print_job' && serverBegan > firstServer && isUnrecorded
    const isInBatch = kind !== 'letter_batch'
    const hasTaken = isInBatch ? taken.has(asTaken) || mayBeLost : holder === writer
    const takenBy = serverBegan > firstServer ? undefined : firstTakers.get(before.epoch)
    const step = { ...change, holder, hasTaken, takenBy }
    if (isInBatch && after.leaseUntil !== null) {
      taken.add(asTaken)
      takers.add(writer)
      if (!firstTakers.has(before.epoch)) firstTakers.set(before.epoch, writer)
    }
    if (isInBatch && before.leaseUntil !== null && after.leaseUntil === null) {
      taken.delete(asTaken)
      if (firstTakers.get(before.epoch) === writer) firstTakers.delete(before.epoch)
    }
    if (isTaking(change)) holder = writer
    else if (after.leaseUntil === null) holder = undefined
    return step
  })
  return { subject, steps }
}

/** The change takes the row: it has a lease and another epoch than before. */
function isTaking({ before, after }: Change): boolean {
  return after.leaseUntil !== null && after.epoch !== before.epoch
}

function isLeased({ before, began }: Change): boolean {
  return before.leaseUntil !== null && before.leaseUntil > began
}

function each(tracks: readonly Track[], judge: (step: Step) => string | undefined): Found[] {
  return tracks.flatMap(({ subject, steps }) =>
    steps.flatMap((step): Found[] => {
      const fault = judge(step)
      return fault === undefined ? [] : [[subject, fault]]
    }),
  )
}

function findJumps(tracks: readonly Track[]): Found[] {
  return each(tracks, ({ before, after, writer }) => {
    const rise = after.epoch - before.epoch
    return rise === 0 || rise === 1
      ? undefined
      : `${writer} took the epoch from ${before.epoch} to ${after.epoch}`
  })
}

function findOverlaps(tracks: readonly Track[]): Found[] {
  return each(tracks, (step) => {
    const { kind, writer, takenBy, after } = step
    // giving a call up raises the epoch of its callback
    if (kind === 'callback' && after.leaseUntil !== null && takenBy && takenBy !== writer) {
      return `${writer} took it under epoch ${after.epoch}, which ${takenBy} had`
    }
    if (!isTaking(step) || !isLeased(step)) return undefined
    const leftMs = Math.round(step.before.leaseUntil! - step.began)
    return `${step.writer} took it ${leftMs} ms before the lease of ${step.holder} ended`
  })
}

function findIntruders(tracks: readonly Track[]): Found[] {
  return each(tracks, (step) => {
    const { before, after, holder, writer } = step
    if (isTaking(step) || before.leaseUntil === after.leaseUntil) return undefined
    if (holder === undefined || holder === writer || !isLeased(step)) return undefined
    return `${writer} changed the lease of ${holder}`
  })
}

/** In these statuses, only a process that has taken a print job or a callback may move it. */
const held = new Set(['QUARANTINE', 'VALIDATING', 'DUE'])

function findStaleMoves(tracks: readonly Track[]): Found[] {
  return each(tracks, ({ before, after, hasTaken, writer }) => {
    if (before.status === after.status || !held.has(before.status) || hasTaken) return undefined
    return `${writer} moved it to ${after.status} under epoch ${before.epoch}, which others took`
  })
}

const enteredOnce = new Set(['VALIDATING', 'PENDING', 'DESPATCHED', 'DELIVERED', 'DEAD'])

function findRepeats(tracks: readonly Track[]): Found[] {
  return tracks.flatMap(({ subject, steps }) => {
    const entered = steps
      .filter(({ before, after }) => before.status !== after.status)
      .map(({ after }) => after.status)
      .filter((status) => enteredOnce.has(status))
    return [...Map.groupBy(entered, (status) => status)]
      .filter(([, times]) => times.length > 1)
      .map(([status, times]): Found => [subject, `became ${status} ${times.length} times`])
  })
}
