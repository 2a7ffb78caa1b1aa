import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { findFaults } from '@despatch/contracts/driver-find/find-faults'
import {
  driverFindBytesMax,
  driverFindPrefix,
  driverFindSecuritySchemes,
  driverFindVersion,
} from '@despatch/contracts/driver-find/operations'
import { renderDriverFault, renderDriverProblem } from '@despatch/contracts/driver-records/problems'
import type { EnquiryConfig } from '@despatch/enquiry/config'
import { openEnquiryService } from '@despatch/enquiry/enquiry-service'
import type { Service } from '@despatch/http/service'
import { searchDrivers } from '@despatch/store/enquiry/driver-search'
import type { Logger } from '@despatch/telemetry/logger'
import { uatFindDrivers } from '@despatch/uat-scenarios/find-scenarios'
import { findDrivers } from './operations/find-drivers.ts'
import { refusePredefinedSearch } from './predefined-searches.ts'
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
      bodyBytesMax: driverFindBytesMax,
      faultsOf: findFaults,
      renderProblem: renderDriverProblem,
      renderFault: renderDriverFault,
      openapi: {
        title: 'Despatch driver find service',
        description:
          'Find drivers by names, date of birth, postcode and gender if you do not know the licence number.',
        version: driverFindVersion,
        securitySchemes: driverFindSecuritySchemes,
      },
    },
    prepare: async ({ database, isTestEnvironment }) => {
      if (isTestEnvironment) await publishUatDrivers(database, uatFindDrivers, now)
      return (api) =>
        findDrivers(api, {
          search: (search) => searchDrivers(database.pool, search),
          kinds: isTestEnvironment ? ['uat-driver', 'driver'] : ['driver'],
          refusePredefined: isTestEnvironment ? refusePredefinedSearch : () => {},
        })
    },
  })
}
