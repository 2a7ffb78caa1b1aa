import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { gatewayConfig } from './config.ts'
import { createGateway } from './service.ts'

await runService({
  name: 'gateway',
  readConfig: () => readConfig(gatewayConfig, process.env),
  create: (config) =>
    createGateway(config, { log: createLogger({ service: 'gateway', level: config.LOG_LEVEL }) }),
})
