import { type PrintRunDespatchMethod, printRunDespatchMethods } from './despatch-method.ts'
import { type MailFormat, mailFormats } from './mail-format.ts'
import type { Materials } from './weight.ts'

/** Monday is 1 and Sunday 7 (ISO 8601). */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7

/** `HH:MM` in London. */
export type LondonTime = string
/** `YYYY-MM-DD` in London. */
export type LondonDate = string

export const plexes = ['simplex', 'duplex'] as const
export const plainStationery = 'A4-PLAIN'

/** The parts of the United Kingdom that have bank holidays of their own. */
export const bankHolidayDivisions = ['england-and-wales', 'scotland', 'northern-ireland'] as const
export type BankHolidayDivision = (typeof bankHolidayDivisions)[number]

/** What a site can print, how much and when, as reported by its provider. */
export type Capabilities = {
  /** Names of the papers it has, as contracts name them. */
  stationery: readonly string[]
  formats: readonly MailFormat[]
  plexes: readonly (typeof plexes)[number][]
  /** Whether it prints in colour. Every site prints in black. */
  colour: boolean
  despatchMethods: readonly PrintRunDespatchMethod[]
  /** The sheets that one document may have. */
  sheetsMax: number
  /** What its letters weigh, and how many sheets its envelopes hold. Absent: the defaults, and any number. */
  materials?: Materials
  /** Documents that may be routed to it in one London day. Absent: no limit. */
  documentsPerDayMax?: number
  /** When it works. Absent: always, and its print runs do not wait for a cut-off. */
  calendar?: ProductionCalendar
  /** Times at which it does not work although its calendar says so. */
  maintenance: readonly MaintenanceWindow[]
}

export type ProductionCalendar = {
  weekdays: readonly Weekday[]
  bankHolidays: BankHolidayDivision | 'none'
  /** Further days without work. */
  closedOn: readonly LondonDate[]
  /** Print jobs that are PENDING at that time belong to the day's print runs; later ones belong to the next. */
  cutOff: LondonTime
  /** Production days of the despatch method from the cut-off to the handover. 0 means the same day. */
  productionDays: number
  /** The carrier's last collection on a day of despatch. Absent: the end of the day. */
  lastCollection?: LondonTime
  /** Exceptions for single despatch methods. */
  classes: readonly ClassCalendar[]
}

type ClassCalendar = {
  despatchMethod: PrintRunDespatchMethod
  /** The days on which it is produced, among the site's working days. */
  weekdays?: readonly Weekday[]
  cutOff?: LondonTime
  productionDays?: number
}

/** ISO 8601 instants; `until` is exclusive. */
export type MaintenanceWindow = { from: string; until: string; reason?: string }

/** The assumed capabilities of a site until its provider reports others: everything, at any time. */
export const unrestrictedCapabilities: Capabilities = {
  stationery: [plainStationery],
  formats: mailFormats,
  plexes,
  colour: true,
  despatchMethods: printRunDespatchMethods,
  sheetsMax: 10_000,
  maintenance: [],
}
