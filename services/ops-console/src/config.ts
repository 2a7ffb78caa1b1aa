import { keySettings } from '@despatch/config/key-settings'
import {
  databaseSettings,
  environmentSettings,
  listenSettings,
  loggingSettings,
  operatorSignInSettings,
  queueSettings,
  stopSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const opsConsoleConfig = z.object({
  ...databaseSettings,
  ...environmentSettings,
  ...queueSettings,
  ...keySettings.console,
  ...operatorSignInSettings,
  ...listenSettings,
  ...stopSettings,
  ...loggingSettings,
  DESPATCH_ADMINISTRATION_URL: z
    .string()
    .regex(/^https?:\/\/[^/\s]+$/, 'must start with http:// or https://, without a path')
    .optional()
    .describe(
      'address to which the console forwards requests for /administration; without it, a proxy in front must route them',
    ),
})
export type OpsConsoleConfig = z.output<typeof opsConsoleConfig>
