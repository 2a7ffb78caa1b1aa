/**
 * What a provider reports of a single document, in the order in which it happens. DIVERTED: taken off the line to be
 * looked at, and put back, spoiled or failed later. FAILED: it will not be printed.
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

/** Events of one call. */
export const itemEventsMax = 2_500

const ranks = { DIVERTED: 0, FETCHED: 1, PRINTED: 2, ENCLOSED: 3, SPOILED: 4, FAILED: 5 } as const

/**
 * Puts the events of one attempt in the order of production, whatever order they came in, so that what later ones tell goes
 * before what earlier ones do.
 */
export function byProduction(
  one: { type: ItemEventType; eventId: string },
  other: { type: ItemEventType; eventId: string },
): number {
  return ranks[one.type] - ranks[other.type] || (one.eventId < other.eventId ? -1 : 1)
}

/** Whether the event ends its attempt: the sheets, and numbered stock among them, are lost. */
export function isSpoiling(type: ItemEventType): boolean {
  return type === 'SPOILED' || type === 'FAILED'
}
