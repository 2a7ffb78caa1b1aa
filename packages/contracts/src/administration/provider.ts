import { z } from 'zod'
import { count } from '../print-fulfilment/answers.ts'
import { capabilitiesSchema } from '../print-fulfilment/site.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { integer, pathSegment, text } from '../text.ts'
import { slug } from './consumer.ts'

const printLocationsMax = 100
const awaySecondsMost = 30 * 24 * 60 * 60
const shareMost = 1_000
const reprintsFreeMost = 1_000_000

export const exchanges = ['http', 'file-drop'] as const

export const printLocation = pathSegment({ min: 1, max: 100 })

const providerTerms = {
  name: text({ min: 1, max: 255 }).describe('Name of the organisation'),
  exchange: z
    .enum(exchanges)
    .describe(
      'http: the provider calls the API for its work. file-drop: files are exchanged through folders',
    ),
  awaySecondsMax: integer({ min: 60, max: awaySecondsMost })
    .exactOptional()
    .describe('Seconds without contact after which its unclaimed work is reassigned'),
}

export const createProviderSchema = z.object({
  providerId: slug,
  ...providerTerms,
  exchange: providerTerms.exchange.default('http'),
  printLocations: z
    .array(printLocation)
    .min(1)
    .max(printLocationsMax)
    .describe('Sites of the provider. A site gets no work until it is enabled'),
})
export type CreateProviderRequest = z.input<typeof createProviderSchema>

export const putProviderSchema = z.object(providerTerms)
export type PutProviderRequest = z.input<typeof putProviderSchema>

const siteTerms = {
  enabled: z.boolean().describe('Whether the site gets work'),
  share: integer({ min: 0, max: shareMost }).describe(
    'Share of the work that several sites could print, relative to the shares of the others',
  ),
  reprintsFreeMax: integer({ min: 0, max: reprintsFreeMost }).describe(
    'Number of reprints of a print run that need no second person. The percentage applies if it allows more',
  ),
  reprintsFreePercent: z.number().min(0).max(100),
}

export const putPrintSiteSchema = z.object(siteTerms)
export type PutPrintSiteRequest = z.input<typeof putPrintSiteSchema>

export const printSiteSchema = z.object({
  printLocation: z.string(),
  ...siteTerms,
  capabilities: capabilitiesSchema.describe(
    'Capabilities that the provider reported. Everything until then',
  ),
  routedToday: count.describe(
    'Number of documents routed to the site today, in London, without those that left its print runs again',
  ),
})
export type PrintSiteResponse = z.output<typeof printSiteSchema>

export const providerSchema = z.object({
  providerId: z.string(),
  ...providerTerms,
  awaySecondsMax: ifKnown(providerTerms.awaySecondsMax),
  lastSeenAt: ifKnown(storedTime).describe('When the provider last asked for work'),
  sites: z.array(printSiteSchema).describe('By name'),
})
export type ProviderResponse = z.output<typeof providerSchema>

export const providersSchema = z.object({ providers: z.array(providerSchema).describe('By id') })
export type ProvidersResponse = z.output<typeof providersSchema>
