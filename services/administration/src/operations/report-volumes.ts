import { renderVolumesCsv } from '@despatch/contracts/administration/volume-csv'
import { reportVolumes as operation } from '@despatch/contracts/administration/volume-operations'
import {
  renderVolumes,
  type VolumeLine,
  type VolumesQuery,
} from '@despatch/contracts/administration/volume-report'
import { chooseMediaType } from '@despatch/contracts/media-type'
import { printRunDespatchMethods } from '@despatch/domain/print-run/despatch-method'
import { postageOf } from '@despatch/domain/print-run/despatch-properties'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { getListedConsumer } from '../consumer/consumers.ts'

/** Limit for one response, which is then a few megabytes. */
const linesMax = 20_000

/** GET /volumes: returns how many print jobs came in and were despatched, by consumer and contract, as JSON or CSV. */
export function reportVolumes(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { consumerId } = request.query
      if (consumerId !== undefined) await getListedConsumer(db, consumerId)
      const lines = await selectVolumes(db, { ...request.query, linesMax: linesMax + 1 })
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

type VolumesReported = VolumesQuery & { consumerId?: string | undefined; linesMax: number }

/**
 * Returns the volumes by period, user name, jobType, templateReference and despatch method, in at most `linesMax`
 * lines. The database keeps the sums of each London day. The postage class is the one that the consumer sees in
 * `despatchProperties`: from the letter or its posting, otherwise from the method.
 */
export async function selectVolumes(db: Db, report: VolumesReported): Promise<VolumeLine[]> {
  const { from, to, groupBy, consumerId, linesMax } = report
  const { rows } = await sql<VolumeLine>`
    with volume as (
      select contract_id, day, despatch_method, accepted, rejected, deleted, letters, sheets, pages,
        coalesce(postage_class, ${JSON.stringify(postageClasses)}::jsonb ->> despatch_method) as postage_class
      from current_volume where day between ${from}::date and ${to}::date
    )
    select to_char(day, ${periods[groupBy]}) as period, consumer.id as "consumerId",
      consumer.user_name as "userName", contract.job_type as "jobType",
      contract.template_reference as "templateReference", despatch_method as "despatchMethod",
      postage_class as "postageClass",
      sum(accepted)::bigint as accepted, sum(rejected)::bigint as rejected, sum(deleted)::bigint as deleted,
      sum(letters)::bigint as letters, sum(sheets)::bigint as sheets, sum(pages)::bigint as pages
    from volume
    join contract on contract.id = contract_id
    join consumer on consumer.id = contract.consumer_id
    where ${consumerId ?? null}::uuid is null or consumer.id = ${consumerId ?? null}
    group by 1, 2, 3, 4, 5, 6, 7
    having (sum(accepted), sum(rejected), sum(deleted), sum(letters)) <> (0, 0, 0, 0)
    order by 1, consumer.user_name collate "C", contract.job_type collate "C", contract.template_reference collate "C",
      despatch_method collate "C" nulls first, postage_class collate "C"
    limit ${linesMax}`.execute(db)
  return rows
}

const periods = { day: 'YYYY-MM-DD', month: 'YYYY-MM' }

const postageClasses = Object.fromEntries(
  printRunDespatchMethods.map((method) => [method, postageOf(method).postageClass]),
)
