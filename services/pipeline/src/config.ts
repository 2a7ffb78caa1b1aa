import {
  checkBudgetSettings,
  databaseSettings,
  environmentSettings,
  fileSettings,
  listenSettings,
  loggingSettings,
  objectStoreSettings,
  queueSettings,
  tracingSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const pipelineConfig = z.object({
  ...databaseSettings,
  ...queueSettings,
  ...objectStoreSettings,
  ...fileSettings,
  ...checkBudgetSettings,
  ...listenSettings,
  ...loggingSettings,
  ...tracingSettings,
  ...environmentSettings,
  DESPATCH_PIPELINE_CONCURRENCY: wholeNumber({ min: 1, max: 200 })
    .default(16)
    .describe('letters with files that a process works on at the same time'),
  DESPATCH_COMPOSE_THREADS: wholeNumber({ min: 1, max: 64 })
    .default(2)
    .describe('threads that compose documents; they start when there is work'),
  DESPATCH_SCAN_PAUSE_SECONDS: wholeNumber({ min: 1, max: 3600 })
    .default(30)
    .describe(
      'how long a print job waits before the next scan if the virus scanner returns no verdict, in seconds',
    ),
  DESPATCH_STEP_LEASE_SECONDS: wholeNumber({ min: 1, max: 600 })
    .default(20)
    .describe(
      'lease of a worker on a batch of print jobs, in seconds: how long a crashed worker blocks them',
    ),
  DESPATCH_SWEEP_INTERVAL_MS: wholeNumber({ min: 50, max: 600_000 })
    .default(10_000)
    .describe('interval between searches for overdue print jobs, in milliseconds'),
  DESPATCH_CANARY_INTERVAL_MS: wholeNumber({ min: 50, max: 86_400_000 })
    .default(60_000)
    .describe(
      'interval between canaries, which measure how long a new letter waits for a worker, in milliseconds',
    ),
  DESPATCH_RETENTION_DAYS: wholeNumber({ min: 1, max: 36_500 })
    .default(90)
    .describe(
      'days that personal data of a print job is kept after it ends; a contract can override this',
    ),
  DESPATCH_HISTORY_DAYS: wholeNumber({ min: 1, max: 36_500 })
    .default(400)
    .describe(
      'days that a print job can be looked up after its personal data was removed; then only its id stays taken',
    ),
  DESPATCH_PRINT_RUN_AGE_MS: wholeNumber({ min: 0, max: 86_400_000 })
    .default(900_000)
    .describe(
      'how long a print run collects documents before its release, at a site without a calendar, in milliseconds',
    ),
  DESPATCH_PRINT_RUN_DOCUMENTS_MAX: wholeNumber({ min: 1, max: 1_000_000 })
    .default(100_000)
    .describe('documents at which a print run is full and is released immediately'),
})
export type PipelineConfig = z.output<typeof pipelineConfig>
