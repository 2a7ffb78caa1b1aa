import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  objectStoreSettings,
  queueSettings,
  secretSettings,
  signInSettings,
  stopSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { bulkPrintJobsMax } from '@despatch/domain/bulk-action/bulk-action'
import { z } from 'zod'

export const administrationConfig = z.object({
  ...databaseSettings,
  ...objectStoreSettings,
  ...queueSettings,
  ...secretSettings,
  ...listenSettings,
  ...stopSettings,
  ...loggingSettings,
  ...signInSettings,
  DESPATCH_BULK_SECOND_PERSON_ABOVE: wholeNumber({ min: 0, max: bulkPrintJobsMax })
    .default(100)
    .describe(
      'bulk actions on more print jobs than these have to be confirmed by another operator than who planned them; 0: all',
    ),
})
export type AdministrationConfig = z.output<typeof administrationConfig>
