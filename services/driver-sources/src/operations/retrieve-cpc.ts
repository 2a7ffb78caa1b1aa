import { retrieveCpc as operation } from '@despatch/contracts/driver-sources/operations'
import type { Api } from '@despatch/http/api'
import type { RequireToken } from '@despatch/http/require-token'
import type { Database } from '@despatch/store/database'
import { findCpc } from '@despatch/store/enquiry/driver-records'

export type RetrieveContext = Pick<Database, 'pool'> & { onRequest: RequireToken }

/** POST /cpc/retrieve: returns a driver's CPC data; none for an unknown driver. */
export function retrieveCpc(api: Api, { pool, onRequest }: RetrieveContext): void {
  api.route({
    ...operation,
    onRequest,
    handler: async ({ body }) => (await findCpc(pool, body.drivingLicenceNumber)) ?? { cpcs: [] },
  })
}
