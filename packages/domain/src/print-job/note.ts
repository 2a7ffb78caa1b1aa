/**
 * What the timeline of a print job tells besides its moves: what a provider did with its document, and what was
 * decided about it. None changes the status.
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
] as const
export type PrintJobNote = (typeof printJobNotes)[number]
