import { type PrintRunDespatchMethod, printRunDespatchMethods } from './despatch-method.ts'
import { type MailFormat, mailFormats } from './mail-format.ts'

/** Monday is 1 and Sunday 7 (ISO 8601). */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7

/** `HH:MM` in London. */
export type LondonTime = string
/** `YYYY-MM-DD` in London. */
export type LondonDate = string

export const plexes = ['simplex', 'duplex'] as const
export const plainStationery = 'A4-PLAIN'

/** What a site can print, how much of it, and when. Told by its provider. */
export type Capabilities = {
  /** Names of the papers it has, as contracts name them. */
  stationery: readonly string[]
  formats: readonly MailFormat[]
  plexes: readonly (typeof plexes)[number][]
  /** Whether it prints in colour; it prints in black in any case. */
  colour: boolean
  despatchMethods: readonly PrintRunDespatchMethod[]
  /** Of one document. */
  sheetsMax: number
  /** Documents that may be routed to it in one London day; absent means without limit. */
  documentsPerDayMax?: number
  /** When it works; absent means always: print runs are released as they come. */
  calendar?: ProductionCalendar
  /** When it does not work although its calendar says so. */
  maintenance: readonly MaintenanceWindow[]
}

export type ProductionCalendar = {
  weekdays: readonly Weekday[]
  bankHolidays: 'england-and-wales' | 'none'
  /** Further days without work. */
  closedOn: readonly LondonDate[]
  /** What is PENDING then belongs to the day's print runs, and what comes later to the next. */
  cutOff: LondonTime
  /** Days on which it produces the despatch method, from that of the cut-off to the handing over; 0 is the same day. */
  productionDays: number
  /** Where a despatch method differs from the others. */
  classes: readonly ClassCalendar[]
}

export type ClassCalendar = {
  despatchMethod: PrintRunDespatchMethod
  /** The days on which it is produced, of those on which the site works. */
  weekdays?: readonly Weekday[]
  cutOff?: LondonTime
  productionDays?: number
}

/** ISO 8601 instants; `until` is not part of it. */
export type MaintenanceWindow = { from: string; until: string; reason?: string }

/** What a site is taken to be able to do until its provider says otherwise: everything, at any time. */
export const unrestrictedCapabilities: Capabilities = {
  stationery: [plainStationery],
  formats: mailFormats,
  plexes,
  colour: true,
  despatchMethods: printRunDespatchMethods,
  sheetsMax: 10_000,
  maintenance: [],
}
