import type { Chance } from '../seeded-chance.ts'

/** A fault of a dependency. `at` is in milliseconds after the beginning of the outage. */
export type Blow =
  /** Its connections are reset, or accepted and never answered. */
  | { dependency: 'object-store'; manner: 'refuse' | 'hang'; at: number }
  /** It is killed, and restarted after `absentMs` milliseconds. */
  | { dependency: 'database' | 'queue'; at: number; absentMs: number }
  /** The database commits the next letter that intake saves, and the reply is lost. */
  | { dependency: 'reply'; at: number }

export type OutagePlan = {
  /** How long the object store is away, in milliseconds. */
  outageMs: number
  databaseRestarts: number
  queueRestarts: number
  chance: Chance
}

/** Refusals use up the attempts of a letter faster than calls that hang, so they have the larger part of a turn. */
const turnMs = 60_000
const refusingShare = 2 / 3
/** Shares of one slice of the outage. */
const blowShare = { earliest: 0.1, latest: 0.6 }
const absenceShareMax = 0.3
const lostReplyShare = 0.9
const absenceMs = { min: 200, max: 5_000 }

/**
 * Plans the faults of an outage. The object store refuses and hangs in turns for the whole outage. PostgreSQL and Redis
 * are each killed once in every equal slice of it, and are back before it ends. After each absence the database loses
 * one reply.
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
