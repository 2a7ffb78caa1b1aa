import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { driverSourcesConfig } from './config.ts'
import { createDriverSources } from './service.ts'

await runService({
  name: 'driver-sources',
  readConfig: () => readConfig(driverSourcesConfig, process.env),
  create: (config) =>
    createDriverSources(config, {
      log: createLogger({
        service: `${config.DESPATCH_DRIVER_SOURCE}-source`,
        level: config.LOG_LEVEL,
      }),
    }),
})
