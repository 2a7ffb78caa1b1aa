import { keySettings } from '@despatch/config/key-settings'
import {
  databaseSettings,
  environmentSettings,
  listenSettings,
  loggingSettings,
  proxySettings,
  stopSettings,
  usageSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

/** The settings of every enquiry service. */
export const enquiryConfig = z.object({
  ...databaseSettings,
  ...keySettings.enquiries,
  ...usageSettings,
  ...environmentSettings,
  ...listenSettings,
  ...proxySettings,
  ...stopSettings,
  ...loggingSettings,
})
export type EnquiryConfig = z.output<typeof enquiryConfig>
