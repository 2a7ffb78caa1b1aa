// The simulated print factory, with the credentials that the preparation made.
import { once } from 'node:events'
import { readUsers } from '../standalone/src/credentials.ts'
import { startSimulator } from '../standalone/src/simulator.ts'

const { DESPATCH_DATA_DIR = '/data', DESPATCH_BASE_URL = '' } = process.env
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
  log: process.stdout,
})
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await simulator.close()
