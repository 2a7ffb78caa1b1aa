import { pageOf } from '@despatch/contracts/driver-find/find-page'
import {
  criteriaOf,
  type FindRequest,
  requestedFieldsOf,
  wantsImages,
} from '@despatch/contracts/driver-find/find-request'
import { renderFindResponse, totalCountHeader } from '@despatch/contracts/driver-find/find-response'
import { findDrivers as operation } from '@despatch/contracts/driver-find/operations'
import type { Api } from '@despatch/http/api'
import { describeEnquiry } from '@despatch/http/audited-enquiry'
import { addToLogLine } from '@despatch/http/request-log'
import type { DriverSearch, DriverSearchPage } from '@despatch/store/enquiry/driver-search'

type FindDriversContext = {
  search: (search: DriverSearch) => Promise<DriverSearchPage>
  /** The sets that are searched, in order of precedence. */
  kinds: DriverSearch['kinds']
  /** In the test environment, throws the predefined result of a search. */
  refusePredefined: (criteria: FindRequest['criteria']) => void
}

/** POST /drivers/find: returns a page of the drivers that meet the criteria, and their total number. */
export function findDrivers(
  api: Api,
  { search, kinds, refusePredefined }: FindDriversContext,
): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { headers, query, body } = request
      describeEnquiry(request, { asked: requestedFieldsOf(body) })
      refusePredefined(body.criteria)

      const { options } = body
      const { drivers, totalCount } = await search({
        kinds,
        criteria: criteriaOf(body),
        lastNameMatchType: options.lastNameMatchType,
        firstNamesMatchType: options.firstNamesMatchType,
        previousNames: options.searchNamesOnPreviousLicences,
        previousDatesOfBirth: options.searchDateOfBirthOnPreviousLicences,
        withPhotographs: wantsImages(body),
        orderBy: options.orderBy,
        ...pageOf([headers, query, body, options]),
      })

      const results = drivers.length
      describeEnquiry(request, { results, outcome: totalCount > 0 ? 'found' : 'not-found' })
      addToLogLine(request, { results })
      reply.header(totalCountHeader, String(totalCount))
      return renderFindResponse(drivers)
    },
  })
}
