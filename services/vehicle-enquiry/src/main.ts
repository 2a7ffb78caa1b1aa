import { readConfig } from '@despatch/config/read-config'
import { enquiryConfig } from '@despatch/enquiry/config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { createVehicleEnquiry } from './service.ts'

await runService({
  name: 'vehicle-enquiry',
  readConfig: () => readConfig(enquiryConfig, process.env),
  create: (config) =>
    createVehicleEnquiry(config, {
      log: createLogger({ service: 'vehicle-enquiry', level: config.LOG_LEVEL }),
    }),
})
