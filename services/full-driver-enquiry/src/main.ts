import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { fullDriverEnquiryConfig } from './config.ts'
import { createFullDriverEnquiry } from './service.ts'

await runService({
  name: 'full-driver-enquiry',
  readConfig: () => readConfig(fullDriverEnquiryConfig, process.env),
  create: (config) =>
    createFullDriverEnquiry(config, {
      log: createLogger({ service: 'full-driver-enquiry', level: config.LOG_LEVEL }),
    }),
})
