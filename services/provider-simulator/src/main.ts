import { readConfig } from '@despatch/config/read-config'
import { createLogger } from '@despatch/telemetry/logger'
import { providerSimulatorConfig } from './config.ts'
import { createProviderSimulator } from './service.ts'

/** The exit code of a program that ends because of an internal error. */
const crashExitCode = 70

const config = readConfig(providerSimulatorConfig, process.env)
const log = createLogger({ service: 'provider-simulator', level: config.LOG_LEVEL })
const onCrash = () => process.exit(crashExitCode)
const simulator = await createProviderSimulator(config, { log, onCrash })
simulator.start()
// The listeners stay: under npm, Ctrl-C arrives twice, and the second one must not interrupt the shutdown.
await new Promise<void>((resolve) => {
  process.on('SIGINT', () => resolve())
  process.on('SIGTERM', () => resolve())
})
await simulator.close()
