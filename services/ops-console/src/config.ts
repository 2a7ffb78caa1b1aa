import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  queueSettings,
  secretSettings,
  stopSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const opsConsoleConfig = z.object({
  ...databaseSettings,
  ...queueSettings,
  ...secretSettings,
  ...listenSettings,
  ...stopSettings,
  ...loggingSettings,
  DESPATCH_ADMINISTRATION_URL: z
    .string()
    .regex(/^https?:\/\/[^/\s]+$/, 'must start with http:// or https://, without a path')
    .optional()
    .describe(
      'where the console hands on what its pages ask of /administration; without it, something in front of it does',
    ),
})
export type OpsConsoleConfig = z.output<typeof opsConsoleConfig>
