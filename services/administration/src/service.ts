import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { numberHasher } from '@despatch/access/enquiry-number'
import { signingKeyBox } from '@despatch/access/signing-key'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createAdministrationApi } from './api.ts'
import type { AdministrationConfig } from './config.ts'
import { createRecordSetPublisher } from './record-set-publisher.ts'
import { sweepRecordSets } from './record-set-sweep.ts'

const name = 'administration'
// two record sets may be loaded, and two published, while operators ask
const connectionsMax = 8

export async function createAdministration(
  config: AdministrationConfig,
  { log, now = () => new Date() }: { log: Logger; now?: () => Date },
): Promise<Service> {
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax })
  const { db, pool } = database
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const publisher = createRecordSetPublisher({ db, pool, log, now })
  const sweep = sweepRecordSets({ db, log, now })
  const authenticate = createAuthenticator({ db, now })
  const api = await createAdministrationApi({
    db,
    pool,
    publisher,
    log,
    metrics: createMetrics(name),
    ready,
    // an operator who has been disabled or has lost a role must not do one thing more
    authenticate: (headers) => authenticate(headers, { fresh: true }),
    signingKeys: signingKeyBox(config.DESPATCH_SECRET_KEY),
    hashNumber: numberHasher(config.DESPATCH_SECRET_KEY),
    now,
  })
  return {
    name,
    api,
    ready,
    close: async () => {
      await api.close()
      await publisher.close()
      await sweep.close()
      await database.close()
    },
  }
}
