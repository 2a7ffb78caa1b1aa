import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { numberHasher } from '@despatch/access/enquiry-number'
import { openUsageLimits } from '@despatch/access/usage-limits'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { repeat } from '@despatch/queue/repeat'
import { openDatabase } from '@despatch/store/database'
import { createDriverLookup } from '@despatch/store/enquiry/driver-records'
import { createEnquiryAudit } from '@despatch/store/enquiry/enquiry-audit'
import { purgeEnquiryAudit } from '@despatch/store/enquiry/enquiry-audit-purge'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createFullDriverEnquiryApi } from './api.ts'
import type { FullDriverEnquiryConfig } from './config.ts'
import { withPredefinedDrivers } from './predefined-drivers.ts'
import { openSources } from './sources/open-sources.ts'

const name = 'full-driver-enquiry'
const connectionsMax = 8
const purgeEveryMs = 60 * 60 * 1000

/**
 * Creates the service. Its readiness does not depend on the sources, because its responses without them are useful too.
 */
export async function createFullDriverEnquiry(
  config: FullDriverEnquiryConfig,
  { log, now = () => new Date() }: { log: Logger; now?: () => Date },
): Promise<Service> {
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax })
  const { db, pool } = database
  const metrics = createMetrics(name)
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const usage = openUsageLimits({ service: name, database, settings: config, log, metrics, now })
  const sources = openSources(config, { log, metrics })
  const real = { findDriver: createDriverLookup(pool), sources }
  const isTestEnvironment = config.DESPATCH_ENVIRONMENT === 'uat'
  const api = await createFullDriverEnquiryApi({
    ...(isTestEnvironment ? withPredefinedDrivers(real, now) : real),
    hashNumber: numberHasher(config.DESPATCH_SECRET_KEY),
    audit: createEnquiryAudit(pool),
    authenticate: createAuthenticator({ db, role: 'consumer', service: name, now }),
    limit: usage.limit,
    log,
    metrics,
    ready,
  })
  const purge = repeat({
    name: 'enquiry-audit-purge',
    everyMs: purgeEveryMs,
    pass: () => purgeEnquiryAudit(db, { days: config.DESPATCH_ENQUIRY_AUDIT_DAYS }),
    onError: (error) => log.error({ err: error }, 'enquiry-audit.purge-failed'),
  })
  return {
    name,
    api,
    ready,
    metrics,
    close: async () => {
      await api.close()
      await usage.close()
      await purge.close()
      await sources.close()
      await database.close()
    },
  }
}
