import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { thirdpartyAccessConfig } from './config.ts'
import { createThirdpartyAccess } from './service.ts'

await runService({
  name: 'thirdparty-access',
  readConfig: () => readConfig(thirdpartyAccessConfig, process.env),
  create: (config) =>
    createThirdpartyAccess(config, {
      log: createLogger({ service: 'thirdparty-access', level: config.LOG_LEVEL }),
    }),
})
