import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { findFaults } from '@despatch/contracts/driver-find/find-faults'
import type { FindRequest } from '@despatch/contracts/driver-find/find-request'
import { driverFindOpenApi } from '@despatch/contracts/driver-find/openapi'
import { driverFindPrefix } from '@despatch/contracts/driver-find/operations'
import {
  driverEnquiryBytesMax,
  driverEnquirySecuritySchemes,
} from '@despatch/contracts/driver-records/enquiry-operation'
import { renderDriverFault, renderDriverProblem } from '@despatch/contracts/driver-records/problems'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { Problem } from '@despatch/domain/problem'
import type { EnquiryConfig } from '@despatch/enquiry/config'
import { openEnquiryService } from '@despatch/enquiry/enquiry-service'
import type { Service } from '@despatch/http/service'
import { searchDrivers } from '@despatch/store/enquiry/driver-search'
import type { Logger } from '@despatch/telemetry/logger'
import { findRefusal, uatFindDrivers } from '@despatch/uat-scenarios/find-scenarios'
import { findDrivers } from './operations/find-drivers.ts'
import { publishUatDrivers } from './publish-uat-drivers.ts'

/** Creates the service. In the test environment it first ensures that the predefined drivers can be found. */
export function createDriverFind(
  config: EnquiryConfig,
  { log, now = () => new Date() }: { log: Logger; now?: () => Date },
): Promise<Service> {
  return openEnquiryService(config, {
    name: 'driver-find',
    log,
    now,
    statementTimeoutMs: 10_000,
    createAuthenticator,
    api: {
      prefix: driverFindPrefix,
      bodyBytesMax: driverEnquiryBytesMax,
      faultsOf: findFaults,
      renderProblem: renderDriverProblem,
      renderFault: renderDriverFault,
      openapi: {
        ...driverFindOpenApi,
        title: 'Despatch driver find service',
        description:
          'Find drivers by names, date of birth, postcode and gender if you do not know the licence number.',
        version: interfaceVersions['driver-find'],
        securitySchemes: driverEnquirySecuritySchemes,
      },
    },
    prepare: async ({ database, isTestEnvironment }) => {
      if (isTestEnvironment) await publishUatDrivers(database, uatFindDrivers)
      return (api) =>
        findDrivers(api, {
          search: (search) => searchDrivers(database.pool, search),
          kinds: isTestEnvironment ? ['uat-driver', 'driver'] : ['driver'],
          refusePredefined: isTestEnvironment ? refusePredefinedSearch : () => {},
        })
    },
  })
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
