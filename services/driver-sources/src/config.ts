import {
  databaseSettings,
  listenSettings,
  loggingSettings,
  stopSettings,
} from '@despatch/config/shared-settings'
import { driverSourceNames } from '@despatch/contracts/driver-sources/operations'
import { z } from 'zod'

export const driverSourcesConfig = z.object({
  ...databaseSettings,
  ...listenSettings,
  ...stopSettings,
  ...loggingSettings,
  DESPATCH_DRIVER_SOURCE: z
    .enum(driverSourceNames, `must be one of ${driverSourceNames.join(', ')}`)
    .describe('data that this process serves'),
  DESPATCH_SOURCE_TOKEN: z
    .string()
    .regex(
      /^[\w.~+/=-]{16,}$/,
      'must be 16 or more letters, digits and characters of ._~+/=-: openssl rand -hex 32',
    )
    .describe('token shared by the sources and the full driver enquiry service'),
})
export type DriverSourcesConfig = z.output<typeof driverSourcesConfig>
