/**
 * One of the known values, or one that a later release adds. Editors complete the known ones, and the compiler accepts
 * any string.
 */
export type Open<Known extends string> = Known | (string & Record<never, never>)
