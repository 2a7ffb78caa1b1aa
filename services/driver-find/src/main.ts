import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { driverFindConfig } from './config.ts'
import { createDriverFind } from './service.ts'

await runService({
  name: 'driver-find',
  readConfig: () => readConfig(driverFindConfig, process.env),
  create: (config) =>
    createDriverFind(config, {
      log: createLogger({ service: 'driver-find', level: config.LOG_LEVEL }),
    }),
})
