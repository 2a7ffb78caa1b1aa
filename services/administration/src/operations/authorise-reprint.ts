import { authoriseReprint as operation } from '@despatch/contracts/administration/reprint-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { decideAndRecord } from '../print-run/decide-reprint.ts'

/** POST /reprints/{reprintId}/authorise: the document is printed again. */
export function authoriseReprint(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: ({ params, caller }) =>
      decideAndRecord(db, caller, { reprintId: params.reprintId, decision: 'authorise' }),
  })
}
