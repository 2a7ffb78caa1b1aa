import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { fulfilmentConfig } from './config.ts'
import { createFulfilment } from './service.ts'

await runService({
  name: 'fulfilment',
  readConfig: () => readConfig(fulfilmentConfig, process.env),
  create: (config) =>
    createFulfilment(config, {
      log: createLogger({ service: 'fulfilment', level: config.LOG_LEVEL }),
    }),
})
