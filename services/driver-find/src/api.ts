import { findFaults } from '@despatch/contracts/driver-find/find-faults'
import {
  driverFindBytesMax,
  driverFindPrefix,
  driverFindSecuritySchemes,
  driverFindVersion,
} from '@despatch/contracts/driver-find/operations'
import { renderDriverFault, renderDriverProblem } from '@despatch/contracts/driver-records/problems'
import { type Api, type ApiOptions, createApi } from '@despatch/http/api'
import {
  auditEnquiries,
  type EnquiryAuditOptions,
  enquiryPurposeParameter,
} from '@despatch/http/audited-enquiry'
import { type HealthCheck, registerHealth } from '@despatch/http/health'
import { type FindDriversContext, findDrivers } from './operations/find-drivers.ts'

export type DriverFindContext = FindDriversContext &
  Required<Pick<ApiOptions, 'log' | 'metrics' | 'limit' | 'authenticate'>> &
  Pick<EnquiryAuditOptions, 'audit'> & { ready(): Promise<HealthCheck[]> }

/** Creates the API for searches of drivers. */
export async function createDriverFindApi({
  log,
  metrics,
  limit,
  authenticate,
  audit,
  ready,
  ...effects
}: DriverFindContext): Promise<Api> {
  const api = await createApi({
    name: 'driver-find',
    prefix: driverFindPrefix,
    log,
    metrics,
    bodyBytesMax: driverFindBytesMax,
    faultsOf: findFaults,
    renderProblem: renderDriverProblem,
    renderFault: renderDriverFault,
    authenticate,
    limit,
    openapi: {
      title: 'Despatch driver find service',
      description:
        'Find drivers by names, date of birth, postcode and gender if you do not know the licence number.',
      version: driverFindVersion,
      securitySchemes: driverFindSecuritySchemes,
      parameters: { enquiryPurpose: enquiryPurposeParameter },
    },
  })
  registerHealth(api, { ready, metrics })
  auditEnquiries(api, {
    service: 'driver-find',
    audit,
    renderProblem: renderDriverProblem,
    renderFault: renderDriverFault,
  })
  findDrivers(api, effects)
  return api
}
