import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  secretSettings,
  usageSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

const hourMs = 60 * 60 * 1000

export const thirdpartyAccessConfig = z
  .object({
    ...databaseSettings,
    ...secretSettings,
    ...usageSettings,
    ...listenSettings,
    ...loggingSettings,
    DESPATCH_TRUSTED_PROXIES: wholeNumber({ min: 0, max: 10 })
      .default(0)
      .describe(
        'proxies in front that each add their caller to X-Forwarded-For; with 0 the header counts for nothing',
      ),
    DESPATCH_SOURCE_REQUESTS_PER_SECOND: wholeNumber({ min: 1, max: 100_000 })
      .default(50)
      .describe(
        'requests per second from one address to operations that want no JWT; twice as many above that in each minute',
      ),
    DESPATCH_LOCKOUT_USER_ATTEMPTS: wholeNumber({ min: 1, max: 1_000 })
      .default(5)
      .describe('wrong attempts after which a user name is locked for the first delay'),
    DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: wholeNumber({ min: 1, max: 1_000_000 })
      .default(20)
      .describe('wrong attempts after which a source address is locked for the first delay'),
    DESPATCH_LOCKOUT_FIRST_DELAY_MS: wholeNumber({ min: 0, max: hourMs })
      .default(1_000)
      .describe('first delay of a lock, in milliseconds; each further wrong attempt doubles it'),
    DESPATCH_LOCKOUT_DELAY_MS_MAX: wholeNumber({ min: 0, max: hourMs })
      .default(900_000)
      .describe('longest delay of a lock, in milliseconds'),
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
