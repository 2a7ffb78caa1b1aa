import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  queueSettings,
  secretSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

export const callbacksConfig = z.object({
  ...databaseSettings,
  ...queueSettings,
  ...listenSettings,
  ...secretSettings,
  ...loggingSettings,
  DESPATCH_CALLBACK_ALLOW: addressRanges()
    .default([])
    .describe('ranges that may be called although they are not public: 10.0.0.0/8,::1/128'),
  DESPATCH_CALLBACK_CONCURRENCY: wholeNumber({ min: 1, max: 1_000 })
    .default(64)
    .describe('callbacks that one process works on at the same time'),
  DESPATCH_CALLBACK_SWEEP_INTERVAL_MS: wholeNumber({ min: 50, max: 600_000 })
    .default(5_000)
    .describe('how often overdue callbacks are looked for, in milliseconds'),
})
export type CallbacksConfig = z.output<typeof callbacksConfig>

function addressRanges() {
  const ranges = z.string().transform((text) => text.split(',').map((range) => range.trim()))
  return ranges
    .refine(
      (given) => given.every((range) => ipaddr.isValidCIDR(range)),
      'must be address ranges with commas between them, such as 10.0.0.0/8,::1/128',
    )
    .transform((given) => given.map((range) => ipaddr.parseCIDR(range)))
}
