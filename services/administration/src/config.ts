import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  secretSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const administrationConfig = z.object({
  ...databaseSettings,
  ...secretSettings,
  ...listenSettings,
  ...loggingSettings,
})
export type AdministrationConfig = z.output<typeof administrationConfig>
