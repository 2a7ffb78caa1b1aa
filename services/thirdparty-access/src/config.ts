import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  secretSettings,
  signInSettings,
  stopSettings,
  usageSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const thirdpartyAccessConfig = z
  .object({
    ...databaseSettings,
    ...secretSettings,
    ...usageSettings,
    ...listenSettings,
    ...stopSettings,
    ...loggingSettings,
    ...signInSettings,
    DESPATCH_SOURCE_REQUESTS_PER_SECOND: wholeNumber({ min: 1, max: 100_000 })
      .default(50)
      .describe(
        'requests per second from one address to operations that want no JWT; twice as many above that in each minute',
      ),
    DESPATCH_RECOVERY_CODES_PER_HOUR: wholeNumber({ min: 1, max: 100 })
      .default(5)
      .describe('recovery codes that one consumer may be sent in an hour'),
    DESPATCH_SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\/[^/\s]/, 'must start with smtp:// or smtps://')
      .optional()
      .describe(
        'server that sends mails, with user and password if it wants them; ?requireTLS=true insists on STARTTLS',
      ),
    DESPATCH_MAIL_FROM: z
      .string()
      .regex(/^[^\s@<>]+@[^\s@<>]+$/, 'must be an e-mail address')
      .default('despatch@localhost')
      .describe('address that mails come from'),
    DESPATCH_MAIL_DIR: z
      .string()
      .optional()
      .describe(
        'without DESPATCH_SMTP_URL: directory that mails are written to, one .eml file each; without both no recovery codes',
      ),
  })
  .refine(
    ({ DESPATCH_SMTP_URL: url, DESPATCH_MAIL_FROM: from }) => !url || !from.endsWith('@localhost'),
    { path: ['DESPATCH_MAIL_FROM'], message: 'is required with DESPATCH_SMTP_URL' },
  )
export type ThirdpartyAccessConfig = z.output<typeof thirdpartyAccessConfig>
