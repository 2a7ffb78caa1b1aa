import { isInProduction } from '@despatch/domain/print-run/state'
import { transact } from '@despatch/postgres/transact'
import type { Db, Tx } from '../database.ts'
import { lockPrintRun } from '../print-run/lock.ts'
import { type EventVerdict, judgeEvents } from './judge.ts'
import { type EventReport, readEventFacts } from './read.ts'
import { writeEvents } from './write.ts'

export type EventReportOutcome =
  | { kind: 'reported'; verdicts: EventVerdict[] }
  | { kind: 'absent' }
  | { kind: 'not-in-production' }

/** Two concurrent calls for different print runs used the same event id. One of them judges its events again. */
class EventIdRace extends Error {}
const triesMax = 5

/**
 * Records the provider's events for single documents of a run, and returns a verdict for each event, in order. Events
 * of one call take the earlier ones of the call into account. An impossible event is refused and not stored; the others
 * are stored. Safe to repeat.
 */
export async function saveItemEvents(db: Db, report: EventReport): Promise<EventReportOutcome> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transact(db, (tx) => takeReport(tx, report))
    } catch (error) {
      if (!(error instanceof EventIdRace) || tries === triesMax) throw error
    }
  }
}

async function takeReport(tx: Tx, report: EventReport): Promise<EventReportOutcome> {
  const run = await lockPrintRun(tx, report)
  if (!run) return { kind: 'absent' }
  if (!isInProduction(run.state)) return { kind: 'not-in-production' }
  const facts = await readEventFacts(tx, report)
  const { verdicts, kept } = judgeEvents(facts, report)
  const areAllNew = await writeEvents(tx, { report, kept, book: facts.book })
  if (!areAllNew)
    throw new EventIdRace(`An event of print run ${report.batchNumber} was changed concurrently`)
  return { kind: 'reported', verdicts }
}
