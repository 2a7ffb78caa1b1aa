import type { Chance } from '../seeded-chance.ts'

/** What is done to a dependency. Moments are milliseconds after the beginning of the outage. */
export type Blow =
  /** Its connections are reset, or accepted and never answered. */
  | { dependency: 'object-store'; manner: 'refuse' | 'hang'; at: number }
  /** It is killed, and started again after its absence. */
  | { dependency: 'database' | 'queue'; at: number; absentMs: number }
  /** The database commits the next letter that is saved, and its reply is lost. */
  | { dependency: 'reply'; at: number }

export type OutagePlan = {
  /** How long the object store is away, in milliseconds. */
  outageMs: number
  databaseRestarts: number
  queueRestarts: number
  chance: Chance
}

/** Refusals cost a letter its attempts sooner than calls that hang: they have the larger part of a turn. */
const turnMs = 60_000
const refusingShare = 2 / 3
/** Of its slice of the outage. */
const blowShare = { earliest: 0.1, latest: 0.6 }
const absenceShareMax = 0.3
const lostReplyShare = 0.9
const absenceMs = { min: 200, max: 5_000 }

/**
 * The object store refuses and hangs in turns for the whole outage. The others are killed once in each of their equal
 * slices of it, and are back before it ends. After each absence of the database it loses one reply.
 */
export function planOutages(plan: OutagePlan): Blow[] {
  const { outageMs, databaseRestarts, queueRestarts } = plan
  const turns = Math.max(1, Math.round(outageMs / turnMs))
  const manners = Array.from({ length: turns }, (_, turn): Blow[] => {
    const at = (share: number) => (outageMs / turns) * (turn + share)
    return [
      { dependency: 'object-store', manner: 'refuse', at: at(0) },
      { dependency: 'object-store', manner: 'hang', at: at(refusingShare) },
    ]
  })
  return [
    ...manners.flat(),
    ...restarts('database', databaseRestarts, plan),
    ...restarts('queue', queueRestarts, plan),
    ...Array.from({ length: databaseRestarts }, (_, slice): Blow => {
      return { dependency: 'reply', at: (outageMs / databaseRestarts) * (slice + lostReplyShare) }
    }),
  ].toSorted((one, other) => one.at - other.at)
}

function restarts(
  dependency: 'database' | 'queue',
  count: number,
  { outageMs, chance }: OutagePlan,
): Blow[] {
  const sliceMs = outageMs / count
  const longestMs = Math.min(absenceMs.max, sliceMs * absenceShareMax)
  return Array.from({ length: count }, (_, slice) => ({
    dependency,
    at: sliceMs * (slice + between(chance, blowShare.earliest, blowShare.latest)),
    absentMs: between(chance, absenceMs.min, Math.max(absenceMs.min, longestMs)),
  }))
}

function between(chance: Chance, from: number, to: number): number {
  return from + chance() * (to - from)
}
