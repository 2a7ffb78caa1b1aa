import { rootKeySettings } from '@despatch/config/key-settings'
import {
  databaseSettings,
  enquiryAuditSettings,
  environmentSettings,
  fileSettings,
  guidesSettings,
  listenSettings,
  objectStoreSettings,
  queueSettings,
  wholeNumber,
} from '@despatch/config/shared-settings'
import { z } from 'zod'
import { databasePasswordsSetting } from './database-passwords.ts'

/** Settings of the all-in-one start. All other settings are passed to the services unchanged. */
export const standaloneConfig = z.object({
  DESPATCH_DATA_DIR: z
    .string()
    .default('.despatch')
    .describe('where the embedded database and files are kept between starts'),
  DESPATCH_PORT: wholeNumber({ min: 0, max: 65_535 })
    .default(8080)
    .describe('port of the base address; 0: any free port'),
  DESPATCH_OPS_PORT: wholeNumber({ min: 0, max: 65_535 })
    .default(8081)
    .describe('port of the operations address; 0: any free port'),
  DESPATCH_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address to listen on; in a container, 0.0.0.0'),
  DESPATCH_SOURCE_REQUESTS_PER_SECOND: listenSettings.DESPATCH_SOURCE_REQUESTS_PER_SECOND,
  DESPATCH_CONNECTIONS_MAX: listenSettings.DESPATCH_CONNECTIONS_MAX,
  DESPATCH_KEEP_ALIVE_MS: listenSettings.DESPATCH_KEEP_ALIVE_MS,
  DESPATCH_SIMULATOR: z
    .enum(['on', 'off'], 'must be on or off')
    .optional()
    .describe(
      'on: a simulated print provider claims the print runs. Without it: on if the database and the object store are embedded and the data directory is new or began with the simulated provider, otherwise off. off is kept for later starts. on with DESPATCH_ENVIRONMENT=production refuses to start',
    ),
  DATABASE_URL: databaseSettings.DATABASE_URL.optional().describe(
    'the PostgreSQL database; without it, an embedded one is started',
  ),
  ...databasePasswordsSetting,
  ...queueSettings,
  ...environmentSettings,
  ...guidesSettings,
  ...enquiryAuditSettings,
  S3_ENDPOINT: objectStoreSettings.S3_ENDPOINT.optional().describe(
    'address of an S3 object store; without it, an embedded one is started',
  ),
  DESPATCH_UPLOAD_BYTES_MAX: fileSettings.DESPATCH_UPLOAD_BYTES_MAX,
  DESPATCH_SECRET_KEY: rootKeySettings.DESPATCH_SECRET_KEY.optional().describe(
    'root from which the keys of the services are derived; without it, one is created and kept in the data directory',
  ),
  DESPATCH_SECRET_KEY_PREVIOUS: rootKeySettings.DESPATCH_SECRET_KEY_PREVIOUS,
})
export type StandaloneConfig = z.output<typeof standaloneConfig>
