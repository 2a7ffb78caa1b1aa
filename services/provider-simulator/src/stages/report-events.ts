import type { ItemEvent, ItemEventResult } from '@despatch/client/print-run'
import { chance } from '../floor/chance.ts'
import { inParts } from '../floor/in-parts.ts'
import type { FloorSettings } from '../floor/settings.ts'
import type { Production } from '../print-run/production.ts'
import type { RunInHand } from '../print-run/run-book.ts'

/** The progress is saved after this many calls. */
const callsAtOnceMax = 8

/** Reports the events of single documents. After a crash it reports some again, as the same events. */
export async function reportEvents(run: RunInHand, production: Production): Promise<void> {
  const { batchNumber, journal } = run
  const { client, settings, log } = production
  const refused: ItemEventResult[] = []
  while (journal.unreported().length > 0) {
    const events = journal.unreported().slice(0, settings.eventsPerCall * callsAtOnceMax)
    for (const call of arrangeEvents(events, settings)) {
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

/** Returns the calls that report the events: in order or shuffled, with some events twice. */
export function arrangeEvents(
  events: readonly ItemEvent[],
  { seed, eventsPerCall, eventDuplicateRate, eventShuffle }: FloorSettings,
): ItemEvent[][] {
  const byChance = (what: string, items: readonly ItemEvent[]) => {
    const drawn = items.map((item) => ({ item, place: chance(seed, what, item.eventId) }))
    return drawn.sort((one, other) => one.place - other.place).map(({ item }) => item)
  }
  const first = eventShuffle ? byChance('order', events) : events
  const again = events.filter(({ eventId }) => chance(seed, 'again', eventId) < eventDuplicateRate)
  const calls = [
    ...inParts(first, eventsPerCall),
    ...inParts(eventShuffle ? byChance('order again', again) : again, eventsPerCall),
  ]
  return eventShuffle ? calls.reverse() : calls
}
