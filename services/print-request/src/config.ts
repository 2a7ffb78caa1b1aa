import { keySettings } from '@despatch/config/key-settings'
import {
  admissionSettings,
  callbackTargetSettings,
  checkBudgetSettings,
  checkSettings,
  databaseSettings,
  environmentSettings,
  fileSettings,
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

const mebibyte = 1024 * 1024

export const printRequestConfig = z.object({
  ...databaseSettings,
  ...environmentSettings,
  ...objectStoreSettings,
  ...fileSettings,
  ...keySettings.callbacks,
  ...keySettings.search,
  ...callbackTargetSettings,
  ...usageSettings,
  ...admissionSettings,
  ...checkSettings,
  ...checkBudgetSettings,
  ...listenSettings,
  ...proxySettings,
  ...stopSettings,
  ...loggingSettings,
  ...tracingSettings,
  DESPATCH_REQUEST_BYTES_MAX: wholeNumber({ min: 1024, max: 1024 * mebibyte })
    .default(16 * mebibyte)
    .describe(
      'largest request body that is accepted, in bytes; a file of 10 MiB takes 14 MiB in base64',
    ),
  DESPATCH_UPLOAD_KEPT_SECONDS: wholeNumber({ min: 60, max: 31_536_000 })
    .default(24 * 60 * 60)
    .describe('how long an unused upload is kept, in seconds'),
  DESPATCH_OPEN_UPLOADS_MAX: wholeNumber({ min: 1, max: 1_000_000 })
    .default(10_000)
    .describe('uploads of one consumer that are in no print job and have not expired'),
  DESPATCH_CHECK_THREADS: wholeNumber({ min: 1, max: 64 })
    .default(2)
    .describe(
      'threads that validate print jobs and render proofs; they start when there is work; with one, a slow letter delays all consumers',
    ),
})
export type PrintRequestConfig = z.output<typeof printRequestConfig>
