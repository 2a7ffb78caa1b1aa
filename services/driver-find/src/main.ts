import { readConfig } from '@despatch/config/read-config'
import { enquiryConfig } from '@despatch/enquiry/config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { createDriverFind } from './service.ts'

await runService({
  name: 'driver-find',
  readConfig: () => readConfig(enquiryConfig, process.env),
  create: (config) =>
    createDriverFind(config, {
      log: createLogger({ service: 'driver-find', level: config.LOG_LEVEL }),
    }),
})
