import { printRunDespatchMethods } from '@despatch/domain/print-run/despatch-method'
import { z } from 'zod'
import { customIssue } from '../text.ts'
import { day, dayMs, orderFault } from './day.ts'

export const volumeDaysMax = 366
export const volumePeriods = ['day', 'month'] as const
export type VolumePeriod = (typeof volumePeriods)[number]

export const volumesQuerySchema = z
  .object({
    from: day.describe('First day of the report, in London'),
    to: day.describe(
      `Last day of the report, in London. The report covers at most ${volumeDaysMax} days`,
    ),
    groupBy: z.enum(volumePeriods).default('day').describe('Length of a period'),
    consumerId: z.uuid().exactOptional().describe('Only contracts of this consumer'),
  })
  .superRefine(({ from, to }, context) => {
    const message = rangeFault(from, to)
    if (message === undefined) return
    context.addIssue({ ...customIssue({ code: 'Invalid', message }, to), path: ['to'] })
  })

function rangeFault(from: string, to: string): string | undefined {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (days > volumeDaysMax) return `must be at most ${volumeDaysMax} days, counted from ${from}`
  return orderFault(from, to)
}

const count = z.number().int()

const despatchedCounts = {
  letters: count.describe('Letters of confirmed postings, counted when the posting was confirmed'),
  sheets: count,
  pages: count,
}

const volumeCounts = {
  accepted: count.describe('Print jobs that were accepted'),
  rejected: count.describe('Print jobs that were rejected, whenever they were accepted'),
  deleted: count.describe('Print jobs that were deleted, whenever they were accepted'),
  ...despatchedCounts,
}

export const volumeSchema = z.object({
  period: z.string().describe('2026-12-24, or 2026-12 by month. Includes only the requested days'),
  consumerId: z.string(),
  userName: z.string(),
  jobType: z.string(),
  templateReference: z.string(),
  ...volumeCounts,
  despatched: z
    .array(
      z.object({
        despatchMethod: z.enum(printRunDespatchMethods),
        postageClass: z.string().describe('Postage class shown to the consumer'),
        ...despatchedCounts,
      }),
    )
    .describe('Breakdown of letters, sheets and pages'),
})
export type VolumeResponse = z.output<typeof volumeSchema>

export const volumesSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  groupBy: z.enum(volumePeriods),
  total: z.object(volumeCounts),
  volumes: z
    .array(volumeSchema)
    .describe('By period, user name, jobType and templateReference. Omits rows without volume'),
})
export type VolumesResponse = z.output<typeof volumesSchema>
