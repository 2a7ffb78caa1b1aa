import {
  bankHolidayDivisions,
  type Capabilities,
  plexes,
} from '@despatch/domain/print-run/capabilities'
import { printRunDespatchMethods } from '@despatch/domain/print-run/despatch-method'
import { mailFormats } from '@despatch/domain/print-run/mail-format'
import { z } from 'zod'
import { customIssue, integer, text } from '../text.ts'
import { count, instant } from './answers.ts'

const time = text({ pattern: /^([01]\d|2[0-3]):[0-5]\d$/ }).describe('Time in London as HH:MM')
const day = z.iso.date('must be a day such as 2026-12-24')
const weekdays = z
  .array(z.literal([1, 2, 3, 4, 5, 6, 7]))
  .min(1)
  .max(7)

export const classCalendarSchema = z.object({
  despatchMethod: z.enum(printRunDespatchMethods),
  weekdays: weekdays.exactOptional().describe('Days on which the class is produced'),
  cutOff: time.exactOptional(),
  productionDays: integer({ min: 0, max: 30 }).exactOptional(),
})

export const calendarSchema = z.object({
  weekdays: weekdays.describe('Working days, where 1 is Monday and 7 is Sunday'),
  bankHolidays: z
    .enum([...bankHolidayDivisions, 'none'])
    .describe('Part of the United Kingdom on whose bank holidays the site does not work'),
  closedOn: z.array(day).max(1_000).describe('Further days on which the site does not work'),
  cutOff: time.describe(
    'Documents that are PENDING at this time in London belong to the print runs of the day',
  ),
  productionDays: integer({ min: 0, max: 30 }).describe(
    'Production days from the cut-off to the handover to the carrier. 0 is the same day',
  ),
  lastCollection: time
    .exactOptional()
    .describe(
      "Time in London of the carrier's last collection on a day of despatch. Absent: the end of the day",
    ),
  classes: z.array(classCalendarSchema).max(20).describe('Exceptions for single despatch methods'),
})

export const maintenanceSchema = z
  .object({
    from: instant,
    until: instant,
    reason: text({ min: 1, max: 200 }).exactOptional(),
  })
  .check(({ value, issues }) => {
    if (Date.parse(value.until) > Date.parse(value.from)) return
    const message = 'must be after from'
    issues.push({ ...customIssue({ code: 'Invalid', message }, value.until), path: ['until'] })
  })

export const paperSchema = z.object({
  stationery: text({ min: 1, max: 50 }).describe('One of the stationery of the site'),
  gramsPerSquareMetre: integer({ min: 20, max: 1_000 }),
})

export const envelopeSchema = z.object({
  name: text({ min: 1, max: 50 }),
  grams: z.number().min(0).max(1_000).describe('Weight of the empty envelope'),
  sheetsMax: integer({ min: 1, max: 10_000 }).describe('The most sheets that fit'),
})

export const materialsSchema = z
  .object({
    papers: z
      .array(paperSchema)
      .max(100)
      .exactOptional()
      .describe('Papers of another weight than 80 g/m²'),
    envelopes: z
      .array(envelopeSchema)
      .min(1)
      .max(20)
      .check(({ value, issues }) => {
        const index = value.findIndex(
          (each, at) => at > 0 && each.sheetsMax <= value[at - 1]!.sheetsMax,
        )
        if (index < 0) return
        const message = 'must be more than that of the envelope before'
        const { sheetsMax } = value[index]!
        const path = [index, 'sheetsMax']
        issues.push({ ...customIssue({ code: 'Invalid', message }, sheetsMax), path })
      })
      .exactOptional()
      .describe(
        'Smallest first. A letter goes into the first one that holds its sheets, and to another site if none does. Absent: each letter has an envelope of 6.5 g',
      ),
  })
  .describe('Paper and envelopes, by which the weight of a letter is estimated')

export const capabilitiesSchema = z
  .object({
    stationery: z
      .array(text({ min: 1, max: 50 }))
      .min(1)
      .max(100)
      .describe('Names of the papers, as in contracts'),
    formats: z.array(z.enum(mailFormats)).min(1).max(mailFormats.length),
    plexes: z.array(z.enum(plexes)).min(1).max(plexes.length),
    colour: z.boolean(),
    despatchMethods: z
      .array(z.enum(printRunDespatchMethods))
      .min(1)
      .max(printRunDespatchMethods.length),
    sheetsMax: integer({ min: 1, max: 10_000 }).describe(
      'Maximum number of sheets in one document',
    ),
    materials: materialsSchema.exactOptional(),
    documentsPerDayMax: integer({ min: 0, max: 100_000_000 })
      .exactOptional()
      .describe('Maximum number of documents in a London day. Absent: no limit'),
    calendar: calendarSchema
      .exactOptional()
      .describe('When the site works. Absent: always, and print runs are released as they come'),
    maintenance: z
      .array(maintenanceSchema)
      .max(1_000)
      .describe('Periods in which the site does not work although its calendar says so'),
  })
  .check(({ value: { stationery, materials }, issues }) => {
    const papers = materials?.papers?.map((paper) => paper.stationery) ?? []
    const index = papers.findIndex(
      (name, at) => !stationery.includes(name) || papers.indexOf(name) < at,
    )
    if (index < 0) return
    const message = 'must be one of stationery, each once'
    const path = ['materials', 'papers', index, 'stationery']
    issues.push({ ...customIssue({ code: 'Invalid', message }, papers[index]), path })
  })
export type CapabilitiesRequest = z.output<typeof capabilitiesSchema>

/** Returns capabilities in their stored form: each name once. */
export function parseCapabilities(request: CapabilitiesRequest): Capabilities {
  const { calendar, ...others } = request
  return {
    ...others,
    stationery: unique(request.stationery),
    formats: unique(request.formats),
    plexes: unique(request.plexes),
    despatchMethods: unique(request.despatchMethods),
    ...(calendar && {
      calendar: {
        ...calendar,
        weekdays: unique(calendar.weekdays),
        closedOn: unique(calendar.closedOn),
        classes: calendar.classes.map(({ weekdays, ...ofClass }) => ({
          ...ofClass,
          ...(weekdays && { weekdays: unique(weekdays) }),
        })),
      },
    }),
  }
}

function unique<Name>(names: readonly Name[]): Name[] {
  return [...new Set(names)]
}

export const siteSchema = z.object({
  printLocation: z.string(),
  enabled: z.boolean().describe('Whether operators have enabled the site for work'),
  share: count.describe('Share of the work, relative to the shares of the other sites'),
  capabilities: capabilitiesSchema,
})

export const sitesSchema = z.object({ sites: z.array(siteSchema) })

export const siteParams = z.object({ printLocation: text({ min: 1, max: 100 }) })

export const whoamiSchema = z.object({
  providerId: z.string(),
  name: z.string(),
  exchange: z.enum(['http', 'file-drop']),
  printLocations: z.array(z.string()),
  roles: z.array(z.string()),
  serverTime: z.iso.datetime(),
  clockSkewSeconds: z
    .number()
    .optional()
    .describe(
      "Seconds by which the caller's clock is ahead, from the Date header. Absent without the header",
    ),
})

export const heartbeatRequestSchema = z
  .object({ sentAt: instant.exactOptional().describe("Time by the provider's clock") })
  .nullish()
export const heartbeatResponseSchema = z.object({
  receivedAt: z.iso.datetime(),
  clockSkewSeconds: z
    .number()
    .optional()
    .describe("Seconds by which the provider's clock is ahead"),
})

const stream = {
  printLocation: z.string(),
  stationery: z.string(),
  format: z.enum(mailFormats),
  plex: z.enum(plexes),
  colour: z.boolean(),
  despatchMethod: z.enum(printRunDespatchMethods),
}

export const workSummarySchema = z.object({
  at: z.iso.datetime(),
  streams: z
    .array(
      z.object({
        ...stream,
        collecting: z
          .object({
            documentCount: count,
            sheetCount: count,
            cutOffAt: z.iso.datetime().optional().describe('When the print run is released'),
            expectedDespatchDate: z.iso.date().optional(),
          })
          .describe('The print run that still gathers documents'),
        released: z.object({
          printRunCount: count,
          documentCount: count,
          sheetCount: count,
          earliestExpectedDespatchDate: z.iso.date().optional(),
        }),
        inHand: z
          .object({
            printRunCount: count,
            documentCount: count.describe('Documents that are claimed and not yet accounted for'),
            earliestExpectedDespatchDate: z.iso.date().optional(),
          })
          .describe('Print runs that are claimed and not closed'),
        weightBands: z
          .array(
            z.object({
              gramsMax: count
                .optional()
                .describe('Upper end of the weight band in grams. Absent above the last band'),
              documentCount: count,
              sheetCount: count,
            }),
          )
          .describe('Weight bands of the collecting and released work, lightest first'),
      }),
    )
    .describe(
      'Work that is coming and work that the provider already has. Contains no personal information',
    ),
})
export type WorkSummaryResponse = z.output<typeof workSummarySchema>

export const serialStockSchema = z.object({
  jobTypes: z.array(
    z.object({
      jobType: z.string(),
      issued: count.describe('used + spoiled + inStock'),
      used: count,
      spoiled: count,
      inStock: count,
    }),
  ),
})

export const stockSpoilageSchema = z.object({
  jobType: text({ min: 1, max: 255 }),
  serialNumbers: z
    .array(text({ min: 1, max: 255 }))
    .min(1)
    .max(10_000)
    .describe('Numbers in stock that were spoiled before anything was printed on them'),
  reason: text({ min: 1, max: 200 }),
})
