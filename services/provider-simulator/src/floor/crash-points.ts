/** The points at which a factory can be made to crash, in the order in which a print run reaches them. */
export const crashPoints = [
  'after-claim',
  'after-fetch',
  'after-acknowledge',
  'after-print',
  'after-events',
  'after-posting',
  'before-close',
] as const
export type CrashPoint = (typeof crashPoints)[number]

/** Ends the work on a print run at a point where the factory must crash. */
export class Crashed extends Error {
  constructor(point: CrashPoint) {
    super(`stopped ${point}, as configured`)
    this.name = 'Crashed'
  }
}
