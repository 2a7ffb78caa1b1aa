import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** A month has its partitions this long before its first letter: a pipeline may stand still for that long. */
const monthsAhead = 3

/**
 * Creates the partitions of the events and search terms of letters, up to three months ahead. Returns how many it
 * created. Safe to repeat and to run from several processes at once: those that find another at work create none.
 */
export async function createLetterPartitions(db: Db, { now }: { now: Date }): Promise<number> {
  const { rows } = await sql<{ created: number }>`
    select create_letter_partitions(${dayOf(now)}, ${monthsAhead}::integer) as created`.execute(db)
  return rows[0]!.created
}

/**
 * Up to this many print jobs of an old month may be left: moving their events takes a fraction of a second under a
 * lock.
 */
const movedMax = 1_000
const dayMs = 24 * 60 * 60 * 1000
/** The key of a print job is from before its submission, and from the clock of another machine. */
const settledMs = 7 * dayMs

type DropOptions = {
  now: Date
  /** Most print jobs of a month that ended before this time are retired: the rest is moved. */
  retiredBefore: Date
}

/**
 * Drops the partitions of the oldest month without print jobs. Of a month that ended before `retiredBefore`, up to
 * 1,000 print jobs may be left: their events move to the default partition, and their search terms are written again.
 * Returns 'again' if there may be more. Safe to repeat and to run from several processes at once. The next pass tries
 * again if a table is in use for longer than a second, or if one of these print jobs is in use.
 */
export async function dropLetterPartitions(
  db: Db,
  { now, retiredBefore }: DropOptions,
): Promise<'again' | 'idle'> {
  const endedBefore = new Date(now.getTime() - settledMs)
  const { rows } = await sql<{ isDropped: boolean }>`
    select drop_letter_partitions(${dayOf(endedBefore)}, ${dayOf(retiredBefore)}, ${movedMax}::integer) as "isDropped"
  `.execute(db)
  return rows[0]!.isDropped ? 'again' : 'idle'
}

const dayOf = (at: Date) => sql`(${at}::timestamptz at time zone 'UTC')::date`
