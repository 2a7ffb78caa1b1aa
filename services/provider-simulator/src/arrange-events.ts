import { chance } from './chance.ts'
import type { ItemEvent } from './event-journal.ts'
import type { EventReporting } from './floor-settings.ts'
import { inParts } from './in-parts.ts'

/** Returns the calls that report the events: in order or shuffled, with some events twice. */
export function arrangeEvents(
  events: readonly ItemEvent[],
  { seed, eventsPerCall, duplicateRate, isShuffled }: EventReporting,
): ItemEvent[][] {
  const byChance = (what: string, items: readonly ItemEvent[]) => {
    const drawn = items.map((item) => ({ item, place: chance(seed, what, item.eventId) }))
    return drawn.sort((one, other) => one.place - other.place).map(({ item }) => item)
  }
  const first = isShuffled ? byChance('order', events) : events
  const again = events.filter(({ eventId }) => chance(seed, 'again', eventId) < duplicateRate)
  const calls = [
    ...inParts(first, eventsPerCall),
    ...inParts(isShuffled ? byChance('order again', again) : again, eventsPerCall),
  ]
  return isShuffled ? calls.reverse() : calls
}
