import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  queueSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const opsConsoleConfig = z.object({
  ...databaseSettings,
  ...queueSettings,
  ...listenSettings,
  ...loggingSettings,
})
export type OpsConsoleConfig = z.output<typeof opsConsoleConfig>
