import * as operations from '@despatch/contracts/administration/reprint-operations'
import { cursorAfter } from '@despatch/contracts/page'
import { describeRuleOff, type SecondPersonRule } from '@despatch/domain/access/independence'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { readSecondPersonRule } from '../operator/second-person.ts'
import { decideAndRecord } from '../print-run/decide-reprint.ts'
import { listReprintPage } from '../print-run/reprints.ts'

/** GET /reprints: lists the reprints that providers requested. */
export function listReprints(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listReprints,
    handler: async ({ query }) => {
      const { state, cursor, limit } = query
      const reprints = await listReprintPage(db, { state, after: cursor, reprintsMax: limit })
      return {
        reprints,
        ...(reprints.length > 0 && describeRule(await readSecondPersonRule(db))),
        ...cursorAfter(reprints, limit, ({ reprintId }) => reprintId),
      }
    },
  })
}

function describeRule(rule: SecondPersonRule): { secondPersonOff?: string } {
  return rule.isOn ? {} : { secondPersonOff: describeRuleOff(rule) }
}

/** POST /reprints/{reprintId}/authorise: the document is printed again. */
export function authoriseReprint(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.authoriseReprint,
    handler: ({ params, caller }) =>
      decideAndRecord(db, caller, { reprintId: params.reprintId, decision: 'authorise' }),
  })
}

/** POST /reprints/{reprintId}/refuse: the document is not printed again, and its print job is rejected. */
export function refuseReprint(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.refuseReprint,
    handler: ({ params, body, caller }) => {
      const { reprintId } = params
      return decideAndRecord(db, caller, { reprintId, decision: 'refuse', reason: body.reason })
    },
  })
}
