import type { plexes } from './capabilities.ts'
import type { PrintRunDespatchMethod } from './despatch-method.ts'
import type { MailFormat } from './mail-format.ts'

/** What all documents of a print run have in common. */
export type PrintStream = {
  despatchMethod: PrintRunDespatchMethod
  stationery: string
  plex: (typeof plexes)[number]
  colour: boolean
  format: MailFormat
}

/** Equal for equal streams. */
export function streamKey({ despatchMethod, stationery, plex, colour, format }: PrintStream) {
  return JSON.stringify([despatchMethod, stationery, plex, colour, format])
}
