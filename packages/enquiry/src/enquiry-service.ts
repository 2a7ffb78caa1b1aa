import { numberHasher } from '@despatch/access/enquiry-number'
import { openUsageLimits } from '@despatch/access/usage-limits'
import type { Enquiry } from '@despatch/domain/enquiry/audited-enquiry'
import { type Api, type ApiOptions, createApi } from '@despatch/http/api'
import { auditEnquiries, enquiryPurposeParameter } from '@despatch/http/audited-enquiry'
import { checkHealth, type HealthCheck, registerHealth } from '@despatch/http/health'
import { listenOptions } from '@despatch/http/listen-options'
import { close, type Service } from '@despatch/http/service'
import { type Database, type Db, openDatabase } from '@despatch/store/database'
import { createEnquiryAudit } from '@despatch/store/enquiry/enquiry-audit'
import { registerClockSkew } from '@despatch/telemetry/clock-skew'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics, type Registry } from '@despatch/telemetry/metrics'
import type { EnquiryConfig } from './config.ts'

type Name = Enquiry['service']

/** What an enquiry service works with. */
type EnquiryParts = {
  database: Database
  metrics: Registry
  /** Returns the keyed hash under which the audit stores a number. */
  hashNumber: (number: string) => Buffer
  isTestEnvironment: boolean
  /** Closes what the service opens in addition. */
  parts: AsyncDisposableStack
}

type EnquiryServiceOptions = {
  name: Name
  log: Logger
  now: () => Date
  /** The server cancels a statement after this many milliseconds. */
  statementTimeoutMs?: number
  createAuthenticator: (options: {
    db: Db
    role: 'consumer'
    service: Name
    now: () => Date
  }) => NonNullable<ApiOptions['authenticate']>
  api: Pick<
    ApiOptions,
    'prefix' | 'bodyBytesMax' | 'faultsOf' | 'renderProblem' | 'renderFault' | 'openapi'
  >
  /** Prepares the operations before the API exists. Returns a function that registers them. */
  prepare: (given: EnquiryParts) => Promise<(api: Api) => void>
}

const connectionsMax = 8

/**
 * Opens a service that answers enquiries of consumers: authenticated, within the limits of their plans, and audited.
 */
export async function openEnquiryService(
  config: EnquiryConfig,
  {
    name,
    log,
    now,
    statementTimeoutMs,
    createAuthenticator,
    api: ownApi,
    prepare,
  }: EnquiryServiceOptions,
): Promise<Service> {
  await using parts = new AsyncDisposableStack()
  const database = parts.adopt(
    openDatabase(config.DATABASE_URL, {
      name,
      connectionsMax,
      ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    }),
    close,
  )
  const { db, pool } = database
  const metrics = createMetrics(name)
  registerClockSkew(metrics, { pool, now })
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const registerOperations = await prepare({
    database,
    metrics,
    hashNumber: numberHasher(config.DESPATCH_KEY_ENQUIRIES),
    isTestEnvironment: config.DESPATCH_ENVIRONMENT === 'uat',
    parts,
  })
  const usage = parts.adopt(
    openUsageLimits({
      service: name,
      database,
      settings: config,
      countsDays: true,
      log,
      metrics,
      now,
    }),
    close,
  )
  const api = parts.adopt(
    await createApi({
      ...ownApi,
      ...listenOptions(config),
      name,
      log,
      metrics,
      authenticate: createAuthenticator({ db, role: 'consumer', service: name, now }),
      limit: usage.limit,
      openapi: { ...ownApi.openapi, parameters: { enquiryPurpose: enquiryPurposeParameter } },
    }),
    close,
  )
  const { renderProblem, renderFault } = ownApi
  auditEnquiries(api, {
    service: name,
    audit: createEnquiryAudit(pool),
    renderProblem,
    renderFault,
  })
  registerHealth(api, { ready, metrics })
  registerOperations(api)
  const opened = parts.move()
  return { name, api, ready, metrics, close: () => opened.disposeAsync() }
}
