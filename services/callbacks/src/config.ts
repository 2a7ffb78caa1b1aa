import { keySettings } from '@despatch/config/key-settings'
import {
  callbackTargetSettings,
  databaseSettings,
  listenSettings,
  loggingSettings,
  tracingSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const callbacksConfig = z.object({
  ...databaseSettings,
  ...listenSettings,
  ...keySettings.callbacks,
  ...loggingSettings,
  ...tracingSettings,
  ...callbackTargetSettings,
  DESPATCH_CALLBACK_CONCURRENCY: wholeNumber({ min: 1, max: 1_000 })
    .default(256)
    .describe(
      'callbacks that one process sends concurrently, at most eight ninths of them for one consumer',
    ),
  DESPATCH_CALLBACK_ORIGIN_RATE: wholeNumber({ min: 1, max: 100_000 })
    .default(500)
    .describe('calls per second to one origin, across all processes'),
  DESPATCH_CALLBACK_ORIGIN_CONCURRENCY: wholeNumber({ min: 1, max: 1_000 })
    .default(64)
    .describe('calls at once to one origin, across all processes, however many a contract allows'),
  DESPATCH_CALLBACK_PROXY: z
    .string()
    .refine(isProxy, 'must be http(s)://[user:password@]host[:port]')
    .transform((text) => new URL(text))
    .optional()
    .describe(
      'HTTP proxy for callbacks, with user and password if it requires them; it must permit CONNECT to any address and ' +
        'port that may be called, without a name',
    ),
  DESPATCH_CALLBACK_CLIENT_CERTIFICATES: z
    .string()
    .optional()
    .describe(
      'directory with the TLS client certificates of consumers for their callbacks: <consumerId>.pem, each a certificate ' +
        'with those of its issuers and its private key',
    ),
})
export type CallbacksConfig = z.output<typeof callbacksConfig>

function isProxy(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:\/\/[^/?#]+\/?$/.test(text)) return false
  try {
    decodeURIComponent(url.username + url.password)
    return true
  } catch {
    return false
  }
}
