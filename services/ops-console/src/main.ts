import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { opsConsoleConfig } from './config.ts'
import { createOpsConsole } from './service.ts'

await runService({
  name: 'ops-console',
  readConfig: () => readConfig(opsConsoleConfig, process.env),
  create: (config) =>
    createOpsConsole(config, {
      log: createLogger({ service: 'ops-console', level: config.LOG_LEVEL }),
    }),
})
