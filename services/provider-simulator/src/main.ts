import { readConfig } from '@despatch/config/read-config'
import { createLogger } from '@despatch/telemetry/logger'
import { providerSimulatorConfig } from './config.ts'
import { createProviderSimulator } from './provider-simulator.ts'

/** That of a program which fails by itself. */
const crashExitCode = 70

const config = readConfig(providerSimulatorConfig, process.env)
const log = createLogger({ service: 'provider-simulator', level: config.LOG_LEVEL })
const onCrash = () => process.exit(crashExitCode)
const simulator = await createProviderSimulator(config, { log, onCrash })
simulator.start()
// Listeners stay: Ctrl-C under npm comes twice, and the second must not cut the closing short.
await new Promise<void>((resolve) => {
  process.on('SIGINT', () => resolve())
  process.on('SIGTERM', () => resolve())
})
await simulator.close()
