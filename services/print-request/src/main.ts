import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { printRequestConfig } from './config.ts'
import { createPrintRequest } from './service.ts'

await runService({
  name: 'print-request',
  readConfig: () => readConfig(printRequestConfig, process.env),
  create: (config) =>
    createPrintRequest(config, {
      log: createLogger({ service: 'print-request', level: config.LOG_LEVEL }),
    }),
})
