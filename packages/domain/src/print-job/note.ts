/**
 * Timeline entries that are not transitions: what a provider did with the document, and what the consumer or an
 * operator decided about it. None changes the status.
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
