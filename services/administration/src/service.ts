import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { signingKeyBox } from '@despatch/access/signing-key'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createAdministrationApi } from './api.ts'
import type { AdministrationConfig } from './config.ts'

const name = 'administration'
const connectionsMax = 4

export async function createAdministration(
  config: AdministrationConfig,
  { log, now = () => new Date() }: { log: Logger; now?: () => Date },
): Promise<Service> {
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax })
  const { db, pool } = database
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const authenticate = createAuthenticator({ db, now })
  const api = await createAdministrationApi({
    db,
    log,
    metrics: createMetrics(name),
    ready,
    // an operator who has been disabled or has lost a role must not do one thing more
    authenticate: (headers) => authenticate(headers, { fresh: true }),
    signingKeys: signingKeyBox(config.DESPATCH_SECRET_KEY),
    now,
  })
  return {
    name,
    api,
    ready,
    close: async () => {
      await api.close()
      await database.close()
    },
  }
}
