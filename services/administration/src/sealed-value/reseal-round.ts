import type { Db } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { Gauge, type Registry } from '@despatch/telemetry/metrics'
import type { Resealer } from './reseal-value.ts'
import { listStaleValues, resealValues, type SealedColumn } from './sealed-values.ts'

const rowsMax = 500
/** Long enough for a round to read a million print jobs. The other columns contain few values. */
const printJobsEveryMs = 600_000
const idsLoggedMax = 10

/** The progress of the walk over one sealed column, and what it has found so far. */
export type ResealRound = {
  place: SealedColumn
  after: string | undefined
  readable: number
  resealed: number
  unreadable: number
  /** The first ids of the unreadable values, at most 10. */
  unreadableIds: string[]
  /** The number of unreadable values that the log has already reported. */
  unreadableReported: number
  notBeforeMs: number
}

type Context = {
  db: Db
  log: Logger
  resealer: Resealer
  gauges: ResealGauges
  hasPreviousKeys: boolean
  pace: { pauseMs: number; restMs: number }
}

/**
 * Reseals the stale values among the next 500 rows. At the end of the column, updates the metrics and starts the next
 * round.
 */
export async function walkOn(round: ResealRound, context: Context): Promise<void> {
  const { db, resealer } = context
  const { place, after } = round
  const keyId = resealer.keyIdOf(place)
  const { ids, lastId } = await listStaleValues(db, place, { keyId, after, rowsMax })
  if (ids.length > 0) {
    const { resealed, unreadable } = await resealValues(db, place, {
      ids,
      keyId,
      reseal: (value) => resealer.reseal(place, value),
    })
    // A locked row counts as readable: the next round finds it again.
    round.readable += ids.length - unreadable.length
    round.resealed += resealed
    round.unreadable += unreadable.length
    round.unreadableIds = [...round.unreadableIds, ...unreadable].slice(0, idsLoggedMax)
  }
  round.after = lastId
  if (lastId === undefined) endRound(round, context)
}

function endRound(round: ResealRound, { log, hasPreviousKeys, pace, gauges }: Context): void {
  const { place, readable, resealed, unreadable, unreadableIds: ids } = round
  gauges.previous.set({ place }, readable)
  gauges.unreadable.set({ place }, unreadable)
  if (resealed > 0) log.info({ place, count: resealed }, 'sealed-values.resealed')
  if (unreadable > 0 && unreadable !== round.unreadableReported) {
    log.error({ place, count: unreadable, ids }, 'sealed-values.unreadable')
  }
  const { pauseMs, restMs } = pace
  const waitMs = readable > 0 ? pauseMs : restOf(place, { hasPreviousKeys, restMs })
  Object.assign(round, {
    ...startRound(place),
    unreadableReported: unreadable,
    notBeforeMs: performance.now() + waitMs,
  })
}

/** Without previous keys no process creates stale values, so one clean round over the print jobs is enough. */
function restOf(
  place: SealedColumn,
  { hasPreviousKeys, restMs }: { hasPreviousKeys: boolean; restMs: number },
): number {
  if (place !== 'print-job-callback') return restMs
  return hasPreviousKeys ? printJobsEveryMs : Number.POSITIVE_INFINITY
}

/** Returns a round at the beginning of a sealed column. */
export function startRound(place: SealedColumn): ResealRound {
  return {
    place,
    after: undefined,
    readable: 0,
    resealed: 0,
    unreadable: 0,
    unreadableIds: [],
    unreadableReported: 0,
    notBeforeMs: 0,
  }
}

type ResealGauges = { previous: Gauge<'place'>; unreadable: Gauge<'place'> }

export function createResealGauges(registry: Registry): ResealGauges {
  const common = { labelNames: ['place'] as const, registers: [registry] }
  return {
    previous: new Gauge({
      ...common,
      name: 'sealed_values_with_previous_key',
      help: 'Values that a previous key opens, or that are still unsealed, at the last complete pass over the place; absent before the first',
    }),
    unreadable: new Gauge({
      ...common,
      name: 'sealed_values_unreadable',
      help: 'Values that no key opens, at the last complete pass over the place; absent before the first',
    }),
  }
}
