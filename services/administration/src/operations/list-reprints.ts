import { renderReprint } from '@despatch/contracts/administration/reprint'
import { listReprints as operation } from '@despatch/contracts/administration/reprint-operations'
import { cursorAfter } from '@despatch/contracts/page'
import { describeRuleOff, type SecondPersonRule } from '@despatch/domain/access/independence'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { readSecondPersonRule } from '../operator/second-person.ts'
import { listReprintPage } from '../print-run/reprints.ts'

/** GET /reprints: lists the reprints that providers requested. */
export function listReprints(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query }) => {
      const { state, cursor, limit } = query
      const reprints = await listReprintPage(db, { state, after: cursor, reprintsMax: limit })
      return {
        reprints: reprints.map(renderReprint),
        ...(reprints.length > 0 && describeRule(await readSecondPersonRule(db))),
        ...cursorAfter(reprints, limit, ({ id }) => id),
      }
    },
  })
}

function describeRule(rule: SecondPersonRule): { secondPersonOff?: string } {
  return rule.isOn ? {} : { secondPersonOff: describeRuleOff(rule) }
}
