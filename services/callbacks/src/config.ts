import {
  callbackTargetSettings,
  databaseSettings,
  listenSettings,
  loggingSettings,
  queueSettings,
  secretSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const callbacksConfig = z.object({
  ...databaseSettings,
  ...queueSettings,
  ...listenSettings,
  ...secretSettings,
  ...loggingSettings,
  ...callbackTargetSettings,
  DESPATCH_CALLBACK_CONCURRENCY: wholeNumber({ min: 1, max: 1_000 })
    .default(64)
    .describe('callbacks that one process works on at the same time'),
  DESPATCH_CALLBACK_SWEEP_INTERVAL_MS: wholeNumber({ min: 50, max: 600_000 })
    .default(5_000)
    .describe('how often overdue callbacks are looked for, in milliseconds'),
})
export type CallbacksConfig = z.output<typeof callbacksConfig>
