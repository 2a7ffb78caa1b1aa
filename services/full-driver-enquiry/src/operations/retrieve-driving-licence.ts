import {
  apiSpecVersionHeader,
  retrieveDrivingLicence as operation,
} from '@despatch/contracts/full-driver-enquiry/operations'
import { renderRetrieveResponse } from '@despatch/contracts/full-driver-enquiry/render-response'
import {
  optionsOf,
  partialAcceptanceOf,
  type RetrieveRequest,
} from '@despatch/contracts/full-driver-enquiry/retrieve-request'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { describeEnquiry } from '@despatch/http/audited-enquiry'
import { addToLogLine } from '@despatch/http/request-log'
import { decidePartialResponse } from '../sources/partial-response.ts'
import type { DriverFacts } from '../sources/predefined-drivers.ts'
import { type DriverSources, dataOf, type SourceAnswer, stateOf } from '../sources/source-answer.ts'

type RetrieveDrivingLicenceContext = DriverFacts & {
  /** Returns the keyed hash under which the audit stores a number. */
  hashNumber: (drivingLicenceNumber: string) => Buffer
}

/** POST /driving-licences/retrieve: returns the record of one driver, with CPC and tachograph data on request. */
export function retrieveDrivingLicence(api: Api, context: RetrieveDrivingLicenceContext): void {
  const { findDriver, sources, hashNumber } = context
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { drivingLicenceNumber: number } = request.body
      describeEnquiry(request, { numberHash: hashNumber(number), asked: optionsOf(request.body) })

      // A source never receives a number that belongs to no driver.
      const driver = await findDriver(number)
      if (!driver) throw new Problem('driver-not-found', 'No driver has this number')
      const { cpc, tachograph } = await askSources(sources, request.body, request.id)
      addToLogLine(request, { ...logged('cpc', cpc), ...logged('tachograph', tachograph) })

      const decision = decidePartialResponse({
        cpc: stateOf(cpc),
        tachograph: stateOf(tachograph),
        accepts: partialAcceptanceOf(request.body),
      })
      if (decision.kind === 'refuse') {
        throw new Problem(decision.problem.kind, decision.problem.detail)
      }
      const { missing } = decision
      if (missing.length > 0) describeEnquiry(request, { outcome: 'partial' })
      reply.header(apiSpecVersionHeader, interfaceVersions['full-driver-enquiry'])
      return renderRetrieveResponse(driver, {
        cpc: dataOf(cpc),
        tachograph: dataOf(tachograph),
        missing,
      })
    },
  })
}

/** Asks each requested source, both at the same time. */
async function askSources(
  sources: DriverSources,
  { drivingLicenceNumber: number, includeCPC, includeTacho }: RetrieveRequest,
  correlationId: string,
) {
  const [cpc, tachograph] = await Promise.all([
    includeCPC ? sources.cpc(number, correlationId) : undefined,
    includeTacho ? sources.tachograph(number, correlationId) : undefined,
  ])
  return { cpc, tachograph }
}

function logged(
  source: 'cpc' | 'tachograph',
  answer: SourceAnswer<unknown> | undefined,
): Record<string, string> {
  if (!answer) return {}
  const { kind } = answer
  return { [source]: kind === 'answered' ? kind : `${kind} ${answer.reason}` }
}
