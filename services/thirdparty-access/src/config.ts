import { keySettings } from '@despatch/config/key-settings'
import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  proxySettings,
  signInSettings,
  stopSettings,
  usageSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const thirdpartyAccessConfig = z
  .object({
    ...databaseSettings,
    ...keySettings.signing,
    ...keySettings.signIn,
    ...usageSettings,
    ...listenSettings,
    ...proxySettings,
    ...stopSettings,
    ...loggingSettings,
    ...signInSettings,
    DESPATCH_SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\/[^/\s]/, 'must start with smtp:// or smtps://')
      .optional()
      .describe(
        'mail server, with user and password if it requires them; ?requireTLS=true enforces STARTTLS',
      ),
    DESPATCH_MAIL_FROM: z
      .string()
      .regex(/^[^\s@<>]+@[^\s@<>]+$/, 'must be an e-mail address')
      .default('despatch@localhost')
      .describe('sender address of mails'),
    DESPATCH_MAIL_DIR: z
      .string()
      .optional()
      .describe(
        'directory to which mails are written as .eml files if DESPATCH_SMTP_URL is absent; without both, no recovery codes',
      ),
  })
  .refine(
    ({ DESPATCH_SMTP_URL: url, DESPATCH_MAIL_FROM: from }) => !url || !from.endsWith('@localhost'),
    { path: ['DESPATCH_MAIL_FROM'], message: 'is required with DESPATCH_SMTP_URL' },
  )
export type ThirdpartyAccessConfig = z.output<typeof thirdpartyAccessConfig>
