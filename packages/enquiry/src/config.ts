import {
  databaseSettings,
  environmentSettings,
  listenSettings,
  loggingSettings,
  proxySettings,
  secretSettings,
  stopSettings,
  usageSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

/** The settings of every enquiry service. */
export const enquiryConfig = z.object({
  ...databaseSettings,
  ...secretSettings,
  ...usageSettings,
  ...environmentSettings,
  ...listenSettings,
  ...proxySettings,
  ...stopSettings,
  ...loggingSettings,
})
export type EnquiryConfig = z.output<typeof enquiryConfig>
