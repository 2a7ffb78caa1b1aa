import {
  callbackTargetSettings,
  databaseSettings,
  listenSettings,
  loggingSettings,
  queueSettings,
  secretSettings,
  tracingSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const callbacksConfig = z.object({
  ...databaseSettings,
  ...queueSettings,
  ...listenSettings,
  ...secretSettings,
  ...loggingSettings,
  ...tracingSettings,
  ...callbackTargetSettings,
  DESPATCH_CALLBACK_CONCURRENCY: wholeNumber({ min: 1, max: 1_000 })
    .default(256)
    .describe('callbacks that one process sends concurrently'),
  DESPATCH_CALLBACK_ORIGIN_RATE: wholeNumber({ min: 1, max: 100_000 })
    .default(500)
    .describe('calls per second to one origin, across all processes'),
  DESPATCH_CALLBACK_POLL_MS: wholeNumber({ min: 50, max: 60_000 })
    .default(500)
    .describe('how often a process polls for due callbacks if no wake-up arrives, in milliseconds'),
})
export type CallbacksConfig = z.output<typeof callbacksConfig>
