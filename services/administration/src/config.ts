import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  queueSettings,
  secretSettings,
  signInSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const administrationConfig = z.object({
  ...databaseSettings,
  ...queueSettings,
  ...secretSettings,
  ...listenSettings,
  ...loggingSettings,
  ...signInSettings,
})
export type AdministrationConfig = z.output<typeof administrationConfig>
