import { getPriority, setPriority } from 'node:os'
import { readConfig } from '@despatch/config/read-config'
import { runService } from '@despatch/http/run-service'
import { createLogger } from '@despatch/telemetry/logger'
import { pipelineConfig } from './config.ts'
import { createPipeline } from './service.ts'

/** A tenth of the processor time, when a process with the usual priority wants all the rest. */
const processPriority = 10

// A letter can wait and a caller cannot: on a machine that they share, services that answer get the processor first.
if (getPriority() < processPriority) setPriority(processPriority)

await runService({
  name: 'pipeline',
  readConfig: () => readConfig(pipelineConfig, process.env),
  create: (config) =>
    createPipeline(config, {
      log: createLogger({ service: 'pipeline', level: config.LOG_LEVEL }),
    }),
})
