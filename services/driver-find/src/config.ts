import {
  databaseSettings,
  enquirySettings,
  environmentSettings,
  listenSettings,
  loggingSettings,
  secretSettings,
  stopSettings,
  usageSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export const driverFindConfig = z.object({
  ...databaseSettings,
  ...secretSettings,
  ...usageSettings,
  ...enquirySettings,
  ...environmentSettings,
  ...listenSettings,
  ...stopSettings,
  ...loggingSettings,
})
export type DriverFindConfig = z.output<typeof driverFindConfig>
