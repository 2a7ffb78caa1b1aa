import type { plexes } from './capabilities.ts'
import type { PrintRunDespatchMethod } from './despatch-method.ts'
import type { MailFormat } from './mail-format.ts'

/** The properties that all documents of a print run share. */
export type PrintStream = {
  despatchMethod: PrintRunDespatchMethod
  stationery: string
  plex: (typeof plexes)[number]
  colour: boolean
  format: MailFormat
}

/** Returns a key that is equal for equal streams. */
export function streamKey({ despatchMethod, stationery, plex, colour, format }: PrintStream) {
  return JSON.stringify([despatchMethod, stationery, plex, colour, format])
}

export function isSameStream(one: PrintStream, other: PrintStream): boolean {
  return (
    one.despatchMethod === other.despatchMethod &&
    one.stationery === other.stationery &&
    one.plex === other.plex &&
    one.colour === other.colour &&
    one.format === other.format
  )
}
