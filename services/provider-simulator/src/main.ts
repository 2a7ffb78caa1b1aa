import { once } from 'node:events'
import { readConfig } from '@despatch/config/read-config'
import { createLogger } from '@despatch/telemetry/logger'
import { providerSimulatorConfig } from './config.ts'
import { createProviderSimulator } from './provider-simulator.ts'

const config = readConfig(providerSimulatorConfig, process.env)
const log = createLogger({ service: 'provider-simulator', level: config.LOG_LEVEL })
const simulator = await createProviderSimulator(config, { log })
simulator.start()
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await simulator.close()
