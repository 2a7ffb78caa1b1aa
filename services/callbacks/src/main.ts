import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { callbacksConfig } from './config.ts'
import { createCallbacks } from './service.ts'

await runService({
  name: 'callbacks',
  readConfig: () => readConfig(callbacksConfig, process.env),
  create: (config) =>
    createCallbacks(config, {
      log: createLogger({ service: 'callbacks', level: config.LOG_LEVEL }),
    }),
})
