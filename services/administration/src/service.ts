import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { createConsoleSessions } from '@despatch/access/console-session'
import { numberHasher } from '@despatch/access/enquiry-number'
import { createPasswordCheck, createSignIn } from '@despatch/access/sign-in'
import { createSignInGate, signInLimits } from '@despatch/access/sign-in-gate'
import { signingKeyBox } from '@despatch/access/signing-key'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { manageQueues } from '@despatch/queue/manage-queues'
import { openDatabase } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createAdministrationApi } from './api.ts'
import { createOperatorAuthenticator } from './authenticate-operator.ts'
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
  const queues = manageQueues({
    url: config.QUEUE_URL ?? config.DATABASE_URL,
    onError: (error) => log.error({ err: error }, 'administration.queue-trouble'),
  })
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
  const sessions = createConsoleSessions({
    db,
    secretKeyHex: secretKey,
    previousKeysHex: previousKeys,
    now,
  })
  const gate = createSignInGate({ db, secretKeyHex: secretKey, limits: signInLimits(config) })
  const signIn = createSignIn({ db, gate, check: await createPasswordCheck(), now })
  const api = await createAdministrationApi({
    db,
    pool,
    publisher,
    queues,
    log,
    metrics,
    ready,
    authenticate: createOperatorAuthenticator({
      authenticate: createAuthenticator({ db, now }),
      sessions,
    }),
    signIn,
    sessions,
    trustedProxies: config.DESPATCH_TRUSTED_PROXIES,
    signingKeys: signingKeyBox(secretKey, previousKeys),
    hashNumber: numberHasher(secretKey),
    now,
  })
  return {
    name,
    api,
    ready,
    metrics,
    close: async () => {
      await api.close()
      await publisher.close()
      await sweep.close()
      await resealing.close()
      await queues.close()
      await database.close()
    },
  }
}
