import { loggingSettings, trueOrFalse, wholeNumber } from '@despatch/config/shared-settings'
import { z } from 'zod'
import { crashPoints, isCrashPoint } from './crash-points.ts'

export const itemEventsPerCallMax = 2_500

/** The settings for misfortunes are absent by default: the factory then works without errors, and as fast as it can. */
export const providerSimulatorConfig = z.object({
  ...loggingSettings,
  DESPATCH_BASE_URL: z
    .string()
    .regex(/^https?:\/\/./, 'must start with http:// or https://')
    .describe('base address of the gateway'),
  DESPATCH_PROVIDER_INSECURE_HTTP: trueOrFalse()
    .optional()
    .describe('true: credentials and letters may go over http to another machine, unencrypted'),
  DESPATCH_PROVIDER_USER_NAME: z.string().describe('user name of the print provider'),
  DESPATCH_PROVIDER_PASSWORD: z.string().describe('password of the print provider'),
  DESPATCH_PROVIDER_API_KEY: z.string().describe('API key of the print provider'),
  DESPATCH_PROVIDER_DIRECTORY: z
    .string()
    .describe('directory for the print log and the state of current print runs'),
  DESPATCH_PROVIDER_POLL_INTERVAL_MS: wholeNumber({ min: 10, max: 3_600_000 })
    .default(1_000)
    .describe('how often the simulator polls for released print runs, in milliseconds'),
  DESPATCH_PROVIDER_PRINT_TIME_MS: wholeNumber({ min: 0, max: 86_400_000 })
    .default(2_000)
    .describe(
      'how long a print run takes from its acknowledgement to its posting, in milliseconds',
    ),
  DESPATCH_SIMULATOR_OUTCOMES_URL: z
    .string()
    .regex(/^https?:\/\/./, 'must start with http:// or https://')
    .optional()
    .describe(
      'in a test environment: base address of the predefined outcomes of documents (…/uat/print-outcomes); without it, all are printed',
    ),
  DESPATCH_SIMULATOR_PRINT_LOCATIONS: commaSeparated(
    'must be print locations, separated by commas',
    (name) => name.length > 0 && name.length <= 100,
  )
    .optional()
    .describe('print locations whose runs are claimed; without it, all of the provider'),
  DESPATCH_SIMULATOR_LEASE_SECONDS: wholeNumber({ min: 60, max: 86_400 })
    .optional()
    .describe('lease to request with a claim, in seconds; without it, the default of the platform'),
  DESPATCH_SIMULATOR_DOCUMENTS_PER_SECOND: wholeNumber({ min: 1, max: 1_000_000 })
    .optional()
    .describe('documents printed per second; without it, no limit'),
  DESPATCH_SIMULATOR_SEED: z
    .string()
    .max(100, 'must be at most 100 characters')
    .optional()
    .describe('seed: with the number and attempt of a document, it decides which errors occur'),
  DESPATCH_SIMULATOR_REFUSAL_RATE: fraction()
    .optional()
    .describe('fraction of the documents that the acknowledgement refuses'),
  DESPATCH_SIMULATOR_SPOIL_RATE: fraction()
    .optional()
    .describe(
      'fraction of the attempts that are spoiled after printing; at most three for each letter',
    ),
  DESPATCH_SIMULATOR_FAIL_RATE: fraction()
    .optional()
    .describe('fraction of the attempts in which a document proves unprintable'),
  DESPATCH_SIMULATOR_DIVERT_RATE: fraction()
    .optional()
    .describe('fraction of the attempts that are taken off the line, inspected and put back'),
  DESPATCH_SIMULATOR_RETURN_RATE: fraction()
    .optional()
    .describe('fraction of the posted letters that are returned'),
  DESPATCH_SIMULATOR_SERIAL_NUMBER_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,20}$/, 'must be 1 to 20 letters, digits and hyphens')
    .optional()
    .describe(
      'prefix of the serial numbers of numbered stock, followed by eight digits; without it, plain paper is used',
    ),
  DESPATCH_SIMULATOR_LOST_REPLY_RATE: fraction({ max: 0.9 })
    .optional()
    .describe('fraction of the calls whose response is discarded, so that they are retried'),
  DESPATCH_SIMULATOR_EVENT_DUPLICATE_RATE: fraction()
    .optional()
    .describe('fraction of the item events that are reported twice'),
  DESPATCH_SIMULATOR_EVENT_SHUFFLE: trueOrFalse()
    .optional()
    .describe('whether item events are reported out of order'),
  DESPATCH_SIMULATOR_EVENTS_PER_CALL: wholeNumber({ min: 1, max: itemEventsPerCallMax })
    .optional()
    .describe('item events in one call; without it, 2500'),
  DESPATCH_SIMULATOR_CLOCK_SKEW_SECONDS: z
    .string()
    .regex(/^-?\d{1,8}$/, 'must be a whole number of at most eight digits')
    .transform(Number)
    .optional()
    .describe('how far the clock of the simulator is ahead, in seconds'),
  DESPATCH_SIMULATOR_CRASH_AT: commaSeparated(
    `must be some of ${crashPoints.join(', ')}, separated by commas`,
    isCrashPoint,
  )
    .optional()
    .describe('points at which the simulator exits with code 70, once each in every print run'),
})
export type ProviderSimulatorConfig = z.output<typeof providerSimulatorConfig>

function fraction({ max = 1 }: { max?: number } = {}) {
  const message = `must be a fraction from 0 to ${max}, such as 0.05`
  return z
    .string()
    .regex(/^[01](\.\d{1,9})?$/, message)
    .transform(Number)
    .refine((value) => value <= max, message)
}

function commaSeparated<Item extends string>(
  message: string,
  isItem: ((item: string) => item is Item) | ((item: string) => boolean),
) {
  return z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()) as Item[])
    .refine((items) => items.every(isItem), message)
}
