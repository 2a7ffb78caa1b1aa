import { keySettings } from '@despatch/config/key-settings'
import {
  checkSettings,
  databaseSettings,
  environmentSettings,
  listenSettings,
  loggingSettings,
  objectStoreSettings,
  proxySettings,
  queueSettings,
  signInSettings,
  stopSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { bulkPrintJobsMax } from '@despatch/domain/bulk-action/bulk-action'
import { z } from 'zod'
import { oidcSettings } from './oidc/settings.ts'

export const administrationConfig = z.object({
  ...databaseSettings,
  ...objectStoreSettings,
  ...queueSettings,
  ...keySettings.signing,
  ...keySettings.callbacks,
  ...keySettings.search,
  ...keySettings.console,
  ...keySettings.signIn,
  ...keySettings.enquiries,
  ...listenSettings,
  ...proxySettings,
  ...stopSettings,
  ...loggingSettings,
  ...signInSettings,
  ...checkSettings,
  ...environmentSettings,
  ...oidcSettings,
  DESPATCH_BULK_SECOND_PERSON_ABOVE: wholeNumber({ min: 0, max: bulkPrintJobsMax })
    .default(100)
    .describe(
      'a bulk action on more print jobs than this must be confirmed by an operator other than its planner; 0: every one',
    ),
})
export type AdministrationConfig = z.output<typeof administrationConfig>
