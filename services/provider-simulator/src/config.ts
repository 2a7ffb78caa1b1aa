import { loggingSettings, trueOrFalse } from '@despatch/config/shared-settings'
import { z } from 'zod'
import { floorOfJson, floorSchema } from './floor/settings.ts'

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
  DESPATCH_SIMULATOR_OUTCOMES_URL: z
    .string()
    .regex(/^https?:\/\/./, 'must start with http:// or https://')
    .optional()
    .describe(
      'in a test environment: base address of the predefined outcomes of documents (…/uat/print-outcomes); without it, all are printed',
    ),
  DESPATCH_SIMULATOR_FLOOR: floorOfJson
    .optional()
    .describe(
      `how the factory works and what goes wrong in it: a JSON object with any of ${Object.keys(floorSchema.shape).join(', ')}`,
    ),
})
export type ProviderSimulatorConfig = z.output<typeof providerSimulatorConfig>
