import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { uatConfig } from './config.ts'
import { createUat } from './service.ts'

await runService({
  name: 'uat',
  readConfig: () => readConfig(uatConfig, process.env),
  create: (config) =>
    createUat(config, { log: createLogger({ service: 'uat', level: config.LOG_LEVEL }) }),
})
