import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { pipelineConfig } from './config.ts'
import { createPipeline } from './service.ts'

await runService({
  name: 'pipeline',
  readConfig: () => readConfig(pipelineConfig, process.env),
  create: (config) =>
    createPipeline(config, {
      log: createLogger({ service: 'pipeline', level: config.LOG_LEVEL }),
    }),
})
