import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  objectStoreSettings,
  proxySettings,
  stopSettings,
  tracingSettings,
  usageSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const fulfilmentConfig = z.object({
  ...databaseSettings,
  ...objectStoreSettings,
  ...usageSettings,
  ...listenSettings,
  ...proxySettings,
  ...stopSettings,
  ...loggingSettings,
  ...tracingSettings,
  DESPATCH_FILE_DROP_INTERVAL_MS: wholeNumber({ min: 0, max: 3_600_000 })
    .default(5_000)
    .describe(
      'how often files are exchanged with providers that use files instead of HTTP, in milliseconds; 0: never',
    ),
})
export type FulfilmentConfig = z.output<typeof fulfilmentConfig>
