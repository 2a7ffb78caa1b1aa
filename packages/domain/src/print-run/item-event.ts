/**
 * A provider's events for a single document, in the order in which they happen. DIVERTED: taken off the line for
 * inspection, and later put back, spoiled or failed. FAILED: it will not be printed.
 */
export const itemEventTypes = [
  'FETCHED',
  'PRINTED',
  'ENCLOSED',
  'DIVERTED',
  'SPOILED',
  'FAILED',
] as const
export type ItemEventType = (typeof itemEventTypes)[number]

/** The maximum number of events in one call. */
export const itemEventsMax = 2_500

const ranks = { DIVERTED: 0, FETCHED: 1, PRINTED: 2, ENCLOSED: 3, SPOILED: 4, FAILED: 5 } as const

/**
 * Compares events of one attempt by the order of production, whatever order they arrived in. Details of later ones then
 * override those of earlier ones.
 */
export function byProduction(
  one: { type: ItemEventType; eventId: string },
  other: { type: ItemEventType; eventId: string },
): number {
  // Stryker disable next-line EqualityOperator: each event has an id of its own
  return ranks[one.type] - ranks[other.type] || (one.eventId < other.eventId ? -1 : 1)
}

/** Whether the event ends its attempt. Its sheets, including numbered stock, are then lost. */
export function isSpoiling(type: ItemEventType): boolean {
  return type === 'SPOILED' || type === 'FAILED'
}
