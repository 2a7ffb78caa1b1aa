import { renderVolumesCsv } from '@despatch/contracts/administration/volume-csv'
import { reportVolumes as operation } from '@despatch/contracts/administration/volume-operations'
import { renderVolumes } from '@despatch/contracts/administration/volume-report'
import { chooseMediaType } from '@despatch/contracts/media-type'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { reportVolumes as reportStored } from '@despatch/store/volume/report'
import { getListedConsumer } from '../change-consumer.ts'

/** Limit for one response, which is then a few megabytes. */
const linesMax = 20_000

/** GET /volumes: returns how many print jobs came in and were despatched, by consumer and contract, as JSON or CSV. */
export function reportVolumes(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { consumerId } = request.query
      if (consumerId !== undefined) await getListedConsumer(db, consumerId)
      const lines = await reportStored(db, { ...request.query, linesMax: linesMax + 1 })
      if (lines.length > linesMax) throw tooManyLines()

      const report = renderVolumes(request.query, lines)
      reply.header('vary', 'Accept')
      const mediaType = chooseMediaType(request.headers.accept, ['application/json', 'text/csv'])
      if (mediaType === 'application/json') return report
      reply.headers({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="volumes-${report.from}-${report.to}.csv"`,
      })
      return reply.send(renderVolumesCsv(report) as never)
    },
  })
}

function tooManyLines() {
  const detail = `to must be earlier, or groupBy month: the report has more than ${linesMax} lines`
  return invalidFields([{ field: 'to', code: 'Size', detail }])
}
