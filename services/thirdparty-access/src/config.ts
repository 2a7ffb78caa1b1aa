import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  secretSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const thirdpartyAccessConfig = z.object({
  ...databaseSettings,
  ...secretSettings,
  ...listenSettings,
  ...loggingSettings,
})
export type ThirdpartyAccessConfig = z.output<typeof thirdpartyAccessConfig>
