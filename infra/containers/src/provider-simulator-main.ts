// The simulated print factory, with the credentials that the preparation created.
import { readUsers } from '@despatch/standalone/credentials'
import { startSimulator } from '@despatch/standalone/simulator'

const {
  DESPATCH_DATA_DIR = '/data',
  DESPATCH_BASE_URL = '',
  DESPATCH_ENVIRONMENT,
  DESPATCH_SIMULATOR_OUTCOMES_URL: outcomesUrl,
} = process.env
const users = await readUsers(DESPATCH_DATA_DIR)
if (!users) {
  process.stderr.write(
    `There are no credentials in ${DESPATCH_DATA_DIR}: run the preparation first\n`,
  )
  process.exit(1)
}
const simulator = await startSimulator({
  baseUrl: DESPATCH_BASE_URL,
  provider: users.provider,
  dataDirectory: DESPATCH_DATA_DIR,
  environment: process.env,
  onCrash: () => process.exit(70),
  log: process.stdout,
  ...(DESPATCH_ENVIRONMENT === 'uat' && { outcomesUrl }),
})
await new Promise<void>((resolve) => {
  process.on('SIGINT', () => resolve())
  process.on('SIGTERM', () => resolve())
})
await simulator.close()
