import { canaryConsumerId } from './canary-consumer.ts'

/** Longer than a transaction that adds waiting subjects takes. Subjects that come later wait until all marks are dropped. */
const settleMs = 5_000
/** The longest wait of a subject below the mark of its consumer. */
const keptMs = 20_000
const lastConsumerId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A consumer whose subjects wait above `mark`, the `seq` up to which all rows of it are gone. */
export type KnownConsumer = { lane: string; consumerId: string; mark: number }
/** A range of ids without a known consumer. Both ends are exclusive. */
export type Gap = { lane: string; after: string; before: string }
/** The first row that a pass has read of a consumer. */
export type FirstRow = { lane: string; consumerId: string; firstSeq: number }

/**
 * The places from which the rows of waiting subjects are read. Beside an old snapshot, rows that are gone stay in the table
 * and its index; without marks each pass would read all of them again.
 */
export type Marks = {
  /** Returns where the next pass reads. It reads the known consumers of a lane in pages of `consumersMax`. */
  plan(consumersMax: number): { known: KnownConsumer[]; gaps: Gap[] }
  /** Notes what was read as planned. `drawn`: a `seq` that had been drawn before. */
  note(rows: readonly FirstRow[], drawn: number): void
  /** Returns the mark of a consumer, 0 if it has none. */
  of(lane: string, consumerId: string): number
}

/**
 * Returns marks that are kept in memory. A mark is below the first row that is seen, and below each `seq` that was drawn
 * in the last five seconds: a transaction may commit its row after others with a higher `seq`. All marks are dropped every
 * 20 seconds, so that no row is passed for ever, whatever the database did.
 */
export function createMarks(
  lanes: readonly string[],
  { clock = () => performance.now() } = {},
): Marks {
  const marks = new Map<string, Map<string, number>>()
  const cursors = new Map<string, string>()
  let planned: KnownConsumer[] = []
  /** A `seq` that was drawn five seconds ago or earlier, and the next such value. */
  let settled = 0
  let settling = 0
  let settlesAtMs = clock() + settleMs
  let dropsAtMs = clock() + keptMs

  const marksOf = (lane: string) => {
    // the ranges begin after the lowest id, which is that of the canaries
    const ofLane = marks.get(lane) ?? new Map([[canaryConsumerId, 0]])
    marks.set(lane, ofLane)
    return ofLane
  }

  function planLane(lane: string, consumersMax: number) {
    const cursor = cursors.get(lane)
    const ids = [...marksOf(lane).keys()].filter((id) => cursor === undefined || id > cursor)
    const page = ids.sort().slice(0, consumersMax)
    const isLast = page.length === ids.length
    if (isLast) cursors.delete(lane)
    else cursors.set(lane, page.at(-1)!)
    const ends = [...(cursor === undefined ? [] : [cursor]), ...page]
    if (isLast) ends.push(lastConsumerId)
    return {
      known: page.map((consumerId) => ({ lane, consumerId, mark: marksOf(lane).get(consumerId)! })),
      gaps: ends.slice(1).map((before, place) => ({ lane, after: ends[place]!, before })),
    }
  }

  return {
    plan: (consumersMax) => {
      if (clock() >= dropsAtMs) {
        marks.clear()
        dropsAtMs = clock() + keptMs
      }
      const plans = lanes.map((lane) => planLane(lane, consumersMax))
      planned = plans.flatMap(({ known }) => known)
      return { known: planned, gaps: plans.flatMap(({ gaps }) => gaps) }
    },

    note: (rows, drawn) => {
      const firstSeqs = new Map(
        rows.map(({ lane, consumerId, firstSeq }) => [`${lane} ${consumerId}`, firstSeq]),
      )
      for (const { lane, consumerId, mark } of planned) {
        const firstSeq = firstSeqs.get(`${lane} ${consumerId}`) ?? Number.POSITIVE_INFINITY
        marksOf(lane).set(consumerId, Math.max(mark, Math.min(firstSeq - 1, settled)))
      }
      for (const { lane, consumerId } of rows) {
        if (!marksOf(lane).has(consumerId)) marksOf(lane).set(consumerId, 0)
      }
      if (clock() < settlesAtMs) return
      settled = settling
      settling = drawn
      settlesAtMs = clock() + settleMs
    },

    of: (lane, consumerId) => marks.get(lane)?.get(consumerId) ?? 0,
  }
}
