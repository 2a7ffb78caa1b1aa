import { randomUUID } from 'node:crypto'
import { renderDriverFault, renderDriverProblem } from '@despatch/contracts/driver-records/problems'
import {
  fullDriverEnquiryBytesMax,
  fullDriverEnquiryPrefix,
  fullDriverEnquirySecuritySchemes,
  fullDriverEnquiryVersion,
  serviceRequestIdHeader,
} from '@despatch/contracts/full-driver-enquiry/operations'
import { retrieveFaults } from '@despatch/contracts/full-driver-enquiry/retrieve-request'
import { type Api, type ApiOptions, createApi } from '@despatch/http/api'
import {
  auditEnquiries,
  type EnquiryAuditOptions,
  enquiryPurposeParameter,
} from '@despatch/http/audited-enquiry'
import { type HealthCheck, registerHealth } from '@despatch/http/health'
import { addToLogLine } from '@despatch/http/request-log'
import {
  type RetrieveDrivingLicenceContext,
  retrieveDrivingLicence,
} from './operations/retrieve-driving-licence.ts'

export type FullDriverEnquiryContext = RetrieveDrivingLicenceContext &
  Required<Pick<ApiOptions, 'log' | 'metrics' | 'limit' | 'authenticate'>> &
  Pick<EnquiryAuditOptions, 'audit'> & { ready(): Promise<HealthCheck[]> }

/** Creates the API for enquiries about one driver. */
export async function createFullDriverEnquiryApi({
  log,
  metrics,
  limit,
  authenticate,
  audit,
  ready,
  ...facts
}: FullDriverEnquiryContext): Promise<Api> {
  const api = await createApi({
    name: 'full-driver-enquiry',
    prefix: fullDriverEnquiryPrefix,
    log,
    metrics,
    bodyBytesMax: fullDriverEnquiryBytesMax,
    faultsOf: retrieveFaults,
    renderProblem: renderDriverProblem,
    renderFault: renderDriverFault,
    authenticate,
    limit,
    openapi: {
      title: 'Despatch full driver enquiry service',
      description:
        'Get the record of one driver: licence, entitlements and endorsements, and on request CPC and tachograph data.',
      version: fullDriverEnquiryVersion,
      securitySchemes: fullDriverEnquirySecuritySchemes,
      parameters: { enquiryPurpose: enquiryPurposeParameter },
    },
  })
  giveServiceRequestIds(api)
  auditEnquiries(api, {
    service: 'full-driver-enquiry',
    audit,
    renderProblem: renderDriverProblem,
    renderFault: renderDriverFault,
  })
  registerHealth(api, { ready, metrics })
  retrieveDrivingLicence(api, facts)
  return api
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
