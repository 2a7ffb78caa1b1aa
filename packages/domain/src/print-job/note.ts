/**
 * What the timeline of a print job tells besides its moves: what a provider did with its document, and what its consumer
 * or an operator decided about it. None changes the status.
 */
export const printJobNotes = [
  'fetch',
  'print',
  'enclose',
  'divert',
  'spoil',
  'reprint',
  'move-run',
  'return',
  'hold',
  'release-hold',
  'redrive',
  'override-address',
  'purge',
] as const
export type PrintJobNote = (typeof printJobNotes)[number]
