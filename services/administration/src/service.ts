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
import { sweepStaleValues } from './reseal-sweep.ts'
import { createResealer } from './reseal-value.ts'

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
  const { DESPATCH_SECRET_KEY: secretKey, DESPATCH_SECRET_KEY_PREVIOUS: previousKeys } = config
  const metrics = createMetrics(name)
  const resealing = sweepStaleValues({
    db,
    log,
    metrics,
    resealer: createResealer(secretKey, previousKeys),
    hasPreviousKeys: previousKeys.length > 0,
  })
  const authenticate = createAuthenticator({ db, now })
  const api = await createAdministrationApi({
    db,
    pool,
    publisher,
    log,
    metrics,
    ready,
    // an operator who has been disabled or has lost a role must not do one thing more
    authenticate: (headers) => authenticate(headers, { fresh: true }),
    signingKeys: signingKeyBox(secretKey, previousKeys),
    hashNumber: numberHasher(secretKey),
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
      await resealing.close()
      await database.close()
    },
  }
}
