import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@despatch/access/authenticate-caller'
import {
  driverEnquiryBytesMax,
  driverEnquirySecuritySchemes,
} from '@despatch/contracts/driver-records/enquiry-operation'
import { renderDriverFault } from '@despatch/contracts/driver-records/problems'
import { fullDriverEnquiryOpenApi } from '@despatch/contracts/full-driver-enquiry/openapi'
import {
  fullDriverEnquiryPrefix,
  fullDriverResponseHeaders,
  serviceRequestIdHeader,
} from '@despatch/contracts/full-driver-enquiry/operations'
import { renderFullDriverProblem } from '@despatch/contracts/full-driver-enquiry/problems'
import { retrieveFaults } from '@despatch/contracts/full-driver-enquiry/retrieve-request'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { openEnquiryService } from '@despatch/enquiry/enquiry-service'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Service } from '@despatch/http/service'
import { createDriverLookup } from '@despatch/store/enquiry/driver-records'
import type { Logger } from '@despatch/telemetry/logger'
import type { FullDriverEnquiryConfig } from './config.ts'
import { retrieveDrivingLicence } from './operations/retrieve-driving-licence.ts'
import type { BreakerLimits } from './sources/guard-source.ts'
import { openSources } from './sources/open-sources.ts'
import { withPredefinedDrivers } from './sources/predefined-drivers.ts'

/**
 * Creates the service. Its readiness does not depend on the sources, because its responses without them are useful too.
 */
export function createFullDriverEnquiry(
  config: FullDriverEnquiryConfig,
  {
    log,
    now = () => new Date(),
    breaker,
  }: {
    log: Logger
    now?: () => Date
    /** Tests shorten it. */
    breaker?: BreakerLimits
  },
): Promise<Service> {
  return openEnquiryService(config, {
    name: 'full-driver-enquiry',
    log,
    now,
    createAuthenticator,
    api: {
      prefix: fullDriverEnquiryPrefix,
      bodyBytesMax: driverEnquiryBytesMax,
      faultsOf: retrieveFaults,
      renderProblem: renderFullDriverProblem,
      renderFault: renderDriverFault,
      openapi: {
        ...fullDriverEnquiryOpenApi,
        title: 'Despatch full driver enquiry service',
        description:
          'Get the record of one driver: licence, entitlements and endorsements, and on request CPC and tachograph data.',
        version: interfaceVersions['full-driver-enquiry'],
        securitySchemes: driverEnquirySecuritySchemes,
        responseHeaders: fullDriverResponseHeaders,
      },
    },
    prepare: async ({ database: { pool }, metrics, hashNumber, isTestEnvironment, parts }) => {
      const sources = openSources(parts, config, { log, metrics, breaker })
      const real = { findDriver: createDriverLookup(pool), sources }
      const facts = isTestEnvironment ? withPredefinedDrivers(real, now) : real
      return (api) => {
        giveServiceRequestIds(api)
        retrieveDrivingLicence(api, { ...facts, hashNumber })
      }
    },
  })
}

/** Spec: X-Service-Request-Id traces the request, so the log contains it too. */
function giveServiceRequestIds(api: Api): void {
  api.addHook('onRequest', (request, reply, done) => {
    const serviceRequestId = randomUUID()
    reply.header(serviceRequestIdHeader, serviceRequestId)
    addToLogLine(request, { serviceRequestId })
    done()
  })
}
