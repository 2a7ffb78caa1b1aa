import { renderRecordSet } from '@despatch/contracts/administration/record-set'
import { getRecordSet as operation } from '@despatch/contracts/administration/record-set-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { requireRecordSet } from '../record-set/record-sets.ts'

/** GET /record-sets/{recordSetId}: returns the progress of a set. */
export function getRecordSet(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params }) => renderRecordSet(await requireRecordSet(db, params.recordSetId)),
  })
}
