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
 * lines. Everything counts at the time it happened: print jobs by their timeline, letters by the confirmation of their
 * posting. The letters therefore agree with the postings, even after a purge.
 */
export async function selectVolumes(db: Db, report: VolumesReported): Promise<VolumeLine[]> {
  const { rows } = await sql<VolumeLine>`
    with volume as (${cameIn(report)} union all ${despatched(report)})
    select to_char(day, ${periods[report.groupBy]}) as period, consumer.id as "consumerId",
      consumer.user_name as "userName", contract.job_type as "jobType",
      contract.template_reference as "templateReference", despatch_method as "despatchMethod",
      postage_class as "postageClass", sum(accepted)::bigint as accepted, sum(rejected)::bigint as rejected,
      sum(deleted)::bigint as deleted, sum(letters)::bigint as letters, sum(sheets)::bigint as sheets,
      sum(pages)::bigint as pages
    from volume
    join contract on contract.id = contract_id
    join consumer on consumer.id = contract.consumer_id
    group by 1, 2, 3, 4, 5, 6, 7
    order by 1, consumer.user_name collate "C", contract.job_type collate "C", contract.template_reference collate "C",
      despatch_method collate "C" nulls first, postage_class collate "C"
    limit ${report.linesMax}`.execute(db)
  return rows
}

const periods = { day: 'YYYY-MM-DD', month: 'YYYY-MM' }

function cameIn(report: VolumesReported) {
  return sql`
    select job.contract_id, (event.at at time zone 'Europe/London')::date as day,
      null as despatch_method, null as postage_class,
      count(*) filter (where transition = 'submit') as accepted,
      count(*) filter (where transition = 'reject') as rejected,
      count(*) filter (where transition = 'delete') as deleted, 0 as letters, 0 as sheets, 0 as pages
    from print_job_event event
    join print_job job on job.key = event.print_job_key
    where transition in ('submit', 'reject', 'delete') and ${isWithin(sql.ref('event.at'), report)}
      and ${isOfConsumer(report)}
    group by 1, 2`
}

/**
 * The postage class that the consumer sees in `despatchProperties`: from the letter, otherwise from its posting,
 * otherwise from the method.
 */
function despatched(report: VolumesReported) {
  return sql`
    select job.contract_id, (posting.confirmed_at at time zone 'Europe/London')::date as day,
      run.despatch_method, coalesce(
        ${postageClassIn(sql.ref('document.despatch_properties'))},
        ${postageClassIn(sql.ref('posting.despatch_properties'))},
        ${JSON.stringify(postageClasses)}::jsonb ->> run.despatch_method) as postage_class,
      0 as accepted, 0 as rejected, 0 as deleted,
      count(*) as letters, sum(document.sheets) as sheets, sum(document.pages) as pages
    from posting
    join print_run_document document on document.posting_id = posting.id
    join print_run run on run.batch_number = document.batch_number
    join print_job job on job.key = document.print_job_key
    where ${isWithin(sql.ref('posting.confirmed_at'), report)} and ${isOfConsumer(report)}
    group by 1, 2, 3, 4`
}

const postageClasses = Object.fromEntries(
  printRunDespatchMethods.map((method) => [method, postageOf(method).postageClass]),
)

type Column = ReturnType<typeof sql.ref>

function postageClassIn(properties: Column) {
  return sql`jsonb_path_query_first(${properties}, '$[*] ? (@.key == "postageClass").value') #>> '{}'`
}

function isWithin(at: Column, { from, to }: VolumesReported) {
  return sql`${at} >= ${from}::date::timestamp at time zone 'Europe/London'
    and ${at} < (${to}::date + 1)::timestamp at time zone 'Europe/London'`
}

function isOfConsumer({ consumerId }: VolumesReported) {
  return consumerId === undefined ? sql`true` : sql`job.consumer_id = ${consumerId}`
}
