import { retrieveTachograph as operation } from '@despatch/contracts/driver-sources/operations'
import type { Api } from '@despatch/http/api'
import { findTachograph } from '@despatch/store/enquiry/driver-records'
import type { RetrieveContext } from './retrieve-cpc.ts'

/** POST /tachograph/retrieve: returns a driver's tachograph cards; none for an unknown driver. */
export function retrieveTachograph(api: Api, { pool, onRequest }: RetrieveContext): void {
  api.route({
    ...operation,
    onRequest,
    handler: async ({ body }) =>
      (await findTachograph(pool, body.drivingLicenceNumber)) ?? { tachoCards: [] },
  })
}
