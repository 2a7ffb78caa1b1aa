import { loggingSettings, wholeNumber } from '@despatch/config/shared-settings'
import { z } from 'zod'

export const providerSimulatorConfig = z.object({
  ...loggingSettings,
  DESPATCH_BASE_URL: z
    .string()
    .regex(/^https?:\/\/./, 'must start with http:// or https://')
    .describe('address under which the gateway answers'),
  DESPATCH_PROVIDER_USER_NAME: z.string().describe('user name of the print provider'),
  DESPATCH_PROVIDER_PASSWORD: z.string().describe('its password'),
  DESPATCH_PROVIDER_API_KEY: z.string().describe('its API key'),
  DESPATCH_PROVIDER_DIRECTORY: z
    .string()
    .describe('where the print log and the keys of runs in hand are kept'),
  DESPATCH_SIMULATOR_OUTCOMES_URL: z
    .string()
    .regex(/^https?:\/\/./, 'must start with http:// or https://')
    .optional()
    .describe(
      'in a test environment: address below which it says what to do with a document (…/uat/print-outcomes); without it, all are printed',
    ),
  DESPATCH_PROVIDER_POLL_INTERVAL_MS: wholeNumber({ min: 10, max: 3_600_000 })
    .default(1_000)
    .describe('how often released print runs are looked for, in milliseconds'),
  DESPATCH_PROVIDER_PRINT_TIME_MS: wholeNumber({ min: 0, max: 86_400_000 })
    .default(2_000)
    .describe(
      'how long a print run takes from its acknowledgement to its posting, in milliseconds',
    ),
})
export type ProviderSimulatorConfig = z.output<typeof providerSimulatorConfig>
