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

export const vehicleEnquiryConfig = z.object({
  ...databaseSettings,
  ...secretSettings,
  ...enquirySettings,
  ...usageSettings,
  ...environmentSettings,
  ...listenSettings,
  ...stopSettings,
  ...loggingSettings,
})
export type VehicleEnquiryConfig = z.output<typeof vehicleEnquiryConfig>
