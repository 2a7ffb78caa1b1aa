import { arrangeEvents } from '../arrange-events.ts'
import type { EventResult } from '../fulfilment-client.ts'
import type { Production } from '../production.ts'
import type { RunInHand } from '../run-book.ts'

/** The progress is saved after this many calls. */
const callsAtOnceMax = 8

/** Reports the events of single documents. After a crash it reports some again, as the same events. */
export async function reportEvents(run: RunInHand, production: Production): Promise<void> {
  const { batchNumber, journal } = run
  const { client, settings, log } = production
  const refused: EventResult[] = []
  while (journal.unreported().length > 0) {
    const events = journal.unreported().slice(0, settings.reporting.eventsPerCall * callsAtOnceMax)
    for (const call of arrangeEvents(events, settings.reporting)) {
      const results = await client.reportEvents(batchNumber, call)
      refused.push(...results.filter(({ result }) => result === 'REFUSED'))
    }
    await production.reach('after-events', run)
    await run.save({ reportedCount: (run.record.reportedCount ?? 0) + events.length })
    journal.forget(events.length)
  }
  if (refused.length === 0) return
  const reasons = [...new Set(refused.map(({ refusal }) => refusal))]
  log.warn({ batchNumber, refusedCount: refused.length, reasons }, 'item-events.refused')
}
