import { loadRows as operation } from '@despatch/contracts/administration/record-set-operations'
import { numberMembers, type RecordKind } from '@despatch/contracts/records/record-kinds'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { Database } from '@despatch/store/database'
import { loadChunk } from '@despatch/store/record-set/load'
import { parseRows } from '../record-set/parse-rows.ts'
import { recordSetNotFound, requireRecordSet } from '../record-set/record-sets.ts'

const contentType = 'application/x-ndjson'

type Effects = Pick<Database, 'db' | 'pool'>

/** POST /record-sets/{recordSetId}/rows: loads the next rows of the source. */
export function loadRows(api: Api, { db, pool }: Effects): void {
  // The route has a scope of its own: the other operations accept JSON, and this one only lines of JSON.
  api.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(contentType, { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    addRoute(scope as unknown as Api, { db, pool })
  })
}

function addRoute(api: Api, { db, pool }: Effects): void {
  api.route({
    ...operation,
    handler: async ({ params, query, body }) => {
      const { recordSetId: setId } = params
      const { fromRow } = query
      const set = await requireRecordSet(db, setId)
      const kind = set.kind as RecordKind
      const parts = parseRows(body, kind)
      const loaded = await loadChunk(pool, {
        setId,
        fromRow,
        parts,
        numberMember: numberMembers[kind],
      })
      switch (loaded.kind) {
        case 'unknown':
          throw recordSetNotFound(setId)
        case 'not-loading':
          throw new Problem('record-set-conflict', `Record set ${setId} accepts no more rows`)
        case 'gap':
          throw new Problem(
            'record-set-conflict',
            `Record set ${setId} continues after row ${loaded.rowsRead}, not after row ${fromRow}`,
          )
        case 'loaded': {
          const { rowsRead, accepted, rejected } = loaded
          return { rowsRead, accepted, rejected }
        }
      }
    },
  })
}
