import {
  admissionSettings,
  callbackTargetSettings,
  checkSettings,
  databaseSettings,
  fileSettings,
  listenSettings,
  loggingSettings,
  objectStoreSettings,
  secretSettings,
  stopSettings,
  tracingSettings,
  usageSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

const mebibyte = 1024 * 1024

export const printRequestConfig = z.object({
  ...databaseSettings,
  ...objectStoreSettings,
  ...fileSettings,
  ...secretSettings,
  ...callbackTargetSettings,
  ...usageSettings,
  ...admissionSettings,
  ...checkSettings,
  ...listenSettings,
  ...stopSettings,
  ...loggingSettings,
  ...tracingSettings,
  DESPATCH_REQUEST_BYTES_MAX: wholeNumber({ min: 1024, max: 1024 * mebibyte })
    .default(12 * mebibyte)
    .describe('largest request body that is accepted, in bytes'),
  DESPATCH_UPLOAD_LINK_SECONDS: wholeNumber({ min: 1, max: 604_800 })
    .default(15 * 60)
    .describe('how long an upload link is valid, in seconds'),
  DESPATCH_UPLOAD_KEPT_SECONDS: wholeNumber({ min: 60, max: 31_536_000 })
    .default(24 * 60 * 60)
    .describe('how long an unused upload is kept, in seconds'),
  DESPATCH_CHECK_THREADS: wholeNumber({ min: 1, max: 64 })
    .default(2)
    .describe(
      'threads that validate print jobs and render proofs; they start when there is work; with one, a slow letter delays all consumers',
    ),
})
export type PrintRequestConfig = z.output<typeof printRequestConfig>
