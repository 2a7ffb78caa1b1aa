import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { administrationConfig } from './config.ts'
import { createAdministration } from './service.ts'

await runService({
  name: 'administration',
  readConfig: () => readConfig(administrationConfig, process.env),
  create: (config) =>
    createAdministration(config, {
      log: createLogger({ service: 'administration', level: config.LOG_LEVEL }),
    }),
})
