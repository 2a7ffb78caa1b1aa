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
