import { refuseReprint as operation } from '@despatch/contracts/administration/reprint-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { decideAndRecord } from '../print-run/decide-reprint.ts'

/** POST /reprints/{reprintId}/refuse: the document is not printed again, and its print job is rejected. */
export function refuseReprint(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: ({ params, body, caller }) => {
      const { reprintId } = params
      return decideAndRecord(db, caller, { reprintId, decision: 'refuse', reason: body.reason })
    },
  })
}
