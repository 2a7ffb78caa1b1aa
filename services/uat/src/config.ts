import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  proxySettings,
  stopSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

const notUat = 'must be uat: this service exists only in the test environment'

export const uatConfig = z.object({
  ...databaseSettings,
  ...listenSettings,
  ...proxySettings,
  ...stopSettings,
  ...loggingSettings,
  DESPATCH_ENVIRONMENT: z
    .literal('uat', notUat)
    .describe('uat: the test environment; this service does not start outside it'),
})
export type UatConfig = z.output<typeof uatConfig>
