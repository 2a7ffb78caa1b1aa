import { z } from 'zod'
import { list } from '../list.ts'
import { count } from '../print-fulfilment/answers.ts'
import { slug } from './consumer.ts'
import { printLocation, printSiteSchema, putPrintSiteSchema } from './provider.ts'

const sitesMax = 100
/** The days whose documents are distributed again. */
export const previewedDays = 7

const { enabled, share } = putPrintSiteSchema.shape

export const siteShareSchema = z.object({ providerId: slug, printLocation, enabled, share })
export type SiteShare = z.output<typeof siteShareSchema>
export const previewSharesSchema = z.object({
  sites: list(siteShareSchema, {
    max: sitesMax,
    unique: [],
  }).describe('Sites with their new terms. The others keep theirs'),
})

export const shareChangeSchema = siteShareSchema.extend({
  enabled: enabled.describe('Whether the site is enabled. If it is not so, nothing changes'),
})
export const changeSharesSchema = z.object({
  sites: list(shareChangeSchema, { max: sitesMax, unique: [] }).describe(
    'Sites with their new shares. The others keep theirs',
  ),
})
export const changedSiteSchema = printSiteSchema.extend({ providerId: z.string() })
export const changedSharesSchema = z.object({
  sites: z.array(changedSiteSchema).describe('The sites of the request, by provider and name'),
})

const documentsPerDay = count.describe(
  'Documents on an average day, without regard to the daily limit',
)
const siteWork = z.object({ enabled, share, documentsPerDay })
export const sharePreviewSchema = z.object({
  days: count.describe(
    `Days among the last ${previewedDays} on which print runs were opened. The documents of these are averaged`,
  ),
  documentsPerDay: count,
  unroutablePerDay: z
    .object({ before: count, after: count })
    .describe('Documents that no enabled site with a share can print'),
  sites: z
    .array(
      z.object({
        providerId: z.string(),
        printLocation: z.string(),
        documentsPerDayMax: count.optional().describe('Daily limit of the site. Absent: none'),
        before: siteWork,
        after: siteWork,
      }),
    )
    .describe('All sites, by provider and name'),
})
export type SharePreviewResponse = z.output<typeof sharePreviewSchema>
