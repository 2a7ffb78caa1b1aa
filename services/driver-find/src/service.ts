import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { openUsageLimits } from '@despatch/access/usage-limits'
import type { FindRequest } from '@despatch/contracts/driver-find/find-request'
import { Problem } from '@despatch/domain/problem'
import { checkHealth, type HealthCheck } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { repeat } from '@despatch/queue/repeat'
import { type Database, openDatabase } from '@despatch/store/database'
import { searchDrivers } from '@despatch/store/enquiry/driver-search'
import { createEnquiryAudit } from '@despatch/store/enquiry/enquiry-audit'
import { purgeEnquiryAudit } from '@despatch/store/enquiry/enquiry-audit-purge'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { findRefusal, uatFindDrivers } from '@despatch/uat-scenarios/find-scenarios'
import { createDriverFindApi } from './api.ts'
import type { DriverFindConfig } from './config.ts'
import { publishUatDrivers } from './publish-uat-drivers.ts'

const name = 'driver-find'
const connectionsMax = 8
const statementTimeoutMs = 10_000
const purgeEveryMs = 60 * 60 * 1000

type Effects = { log: Logger; now?: () => Date }

/** Creates the service. In the test environment it first ensures that the predefined drivers can be found. */
export async function createDriverFind(
  config: DriverFindConfig,
  { log, now = () => new Date() }: Effects,
): Promise<Service> {
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax, statementTimeoutMs })
  try {
    return await createOn(database, config, { log, now })
  } catch (error) {
    await database.close()
    throw error
  }
}

async function createOn(
  database: Database,
  config: DriverFindConfig,
  { log, now }: Required<Effects>,
): Promise<Service> {
  const { db, pool } = database
  const metrics = createMetrics(name)
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const isTestEnvironment = config.DESPATCH_ENVIRONMENT === 'uat'
  if (isTestEnvironment) await publishUatDrivers(database, uatFindDrivers, now)
  const usage = openUsageLimits({ service: name, database, settings: config, log, metrics, now })
  const api = await createDriverFindApi({
    search: (search) => searchDrivers(pool, search),
    kinds: isTestEnvironment ? ['uat-driver', 'driver'] : ['driver'],
    refusePredefined: isTestEnvironment ? refusePredefinedSearch : () => {},
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
    close: async () => {
      await api.close()
      await usage.close()
      await purge.close()
      await database.close()
    },
  }
}

/**
 * Throws the predefined result of a search by this last name, if there is one: a Problem, or an error that stands for a
 * fault of ours.
 */
function refusePredefinedSearch({ lastName }: FindRequest['criteria']): void {
  const refusal = lastName === undefined ? undefined : findRefusal(lastName)
  if (!refusal) return
  const { outcome } = refusal
  if (outcome.kind === 'fault') throw new Error('this search is predefined to end in a fault')
  throw new Problem(outcome.problem, outcome.detail)
}
