import { createApiKeyAuthenticator } from '@despatch/access/authenticate-api-key'
import { numberHasher } from '@despatch/access/enquiry-number'
import { openUsageLimits } from '@despatch/access/usage-limits'
import { fieldFaults } from '@despatch/contracts/field-faults'
import {
  vehicleEnquiryBytesMax,
  vehicleEnquiryPrefix,
  vehicleEnquirySecuritySchemes,
  vehicleEnquiryVersion,
} from '@despatch/contracts/vehicle-enquiry/operations'
import {
  renderVehicleFault,
  renderVehicleProblem,
} from '@despatch/contracts/vehicle-enquiry/problems'
import { createApi } from '@despatch/http/api'
import { auditEnquiries, enquiryPurposeParameter } from '@despatch/http/audited-enquiry'
import { checkHealth, type HealthCheck, registerHealth } from '@despatch/http/health'
import type { Service } from '@despatch/http/service'
import { repeat } from '@despatch/queue/repeat'
import { openDatabase } from '@despatch/store/database'
import { createEnquiryAudit } from '@despatch/store/enquiry/enquiry-audit'
import { purgeEnquiryAudit } from '@despatch/store/enquiry/enquiry-audit-purge'
import type { Logger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { vehicleScenario } from '@despatch/uat-scenarios/vehicle-scenarios'
import type { VehicleEnquiryConfig } from './config.ts'
import { createVehicleLookup, getVehicle } from './operations/get-vehicle.ts'

const name = 'vehicle-enquiry'
const connectionsMax = 8
const purgeEveryMs = 60 * 60 * 1000

export async function createVehicleEnquiry(
  config: VehicleEnquiryConfig,
  { log, now = () => new Date() }: { log: Logger; now?: () => Date },
): Promise<Service> {
  const database = openDatabase(config.DATABASE_URL, { name, connectionsMax })
  const { db, pool } = database
  const ready = async (): Promise<HealthCheck[]> => [
    await checkHealth('database', () => pool.query('select 1')),
  ]
  const metrics = createMetrics(name)
  const usage = openUsageLimits({ service: name, database, settings: config, log, metrics, now })
  const api = await createApi({
    name,
    prefix: vehicleEnquiryPrefix,
    log,
    metrics,
    bodyBytesMax: vehicleEnquiryBytesMax,
    faultsOf: fieldFaults,
    renderProblem: renderVehicleProblem,
    renderFault: renderVehicleFault,
    authenticate: createApiKeyAuthenticator({ db, role: 'consumer', service: name, now }),
    limit: usage.limit,
    openapi: {
      title: 'Despatch vehicle enquiry service',
      description: 'Get the details of one vehicle by registration number.',
      version: vehicleEnquiryVersion,
      securitySchemes: vehicleEnquirySecuritySchemes,
      parameters: { enquiryPurpose: enquiryPurposeParameter },
    },
  })
  auditEnquiries(api, {
    service: name,
    audit: createEnquiryAudit(pool),
    renderProblem: renderVehicleProblem,
    renderFault: renderVehicleFault,
  })
  registerHealth(api, { ready, metrics })
  getVehicle(api, {
    findVehicle: createVehicleLookup(pool),
    ...(config.DESPATCH_ENVIRONMENT === 'uat' && { findScenario: vehicleScenario }),
    hashNumber: numberHasher(config.DESPATCH_SECRET_KEY),
    now,
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
