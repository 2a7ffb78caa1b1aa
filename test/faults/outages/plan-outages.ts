import type { Chance } from '../seeded-chance.ts'

/** What is done to a dependency. Moments are milliseconds after the beginning of the outage. */
export type Blow =
  /** Its connections are reset, or accepted and never answered. */
  | { dependency: 'object-store'; manner: 'refuse' | 'hang'; at: number }
  /** It is killed, and started again after its absence. */
  | { dependency: 'database' | 'queue'; at: number; absentMs: number }

export type OutagePlan = {
  /** How long the object store is away, in milliseconds. */
  outageMs: number
  databaseRestarts: number
  queueRestarts: number
  chance: Chance
}

const turnsPerMinute = 2
/** Of its slice of the outage. */
const blowShare = { earliest: 0.1, latest: 0.6 }
const absenceShareMax = 0.3
const absenceMs = { min: 200, max: 5_000 }

/**
 * The object store refuses and hangs in turns for the whole outage. The others are killed once in each of their equal
 * slices of it, and are back before it ends.
 */
export function planOutages(plan: OutagePlan): Blow[] {
  const { outageMs, databaseRestarts, queueRestarts } = plan
  const pairs = Math.max(1, Math.round((outageMs / 60_000) * (turnsPerMinute / 2)))
  const turns = Array.from({ length: pairs * 2 }, (_, turn): Blow => {
    const manner = turn % 2 === 0 ? 'refuse' : 'hang'
    return { dependency: 'object-store', manner, at: (outageMs / (pairs * 2)) * turn }
  })
  return [
    ...turns,
    ...restarts('database', databaseRestarts, plan),
    ...restarts('queue', queueRestarts, plan),
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
