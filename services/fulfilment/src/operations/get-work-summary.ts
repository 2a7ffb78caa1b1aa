import { getWorkSummary as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import {
  renderWorkSummary,
  type StoredWork,
} from '@despatch/contracts/print-fulfilment/work-summary'
import { type PrintedOn, weightBandIndexOf } from '@despatch/domain/print-run/weight'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { materialsOf } from '@despatch/store/print-run/materials'
import { sql } from 'kysely'
import { providerOf } from '../request/provider-of.ts'

/** GET /work-summary: returns, by stream, how much work is being gathered, is released, or is with the provider. */
export function getWorkSummary(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => renderWorkSummary(await readWork(db, providerOf(request.caller))),
  })
}

/**
 * Reads all unaccounted work of a provider, in one snapshot. Uses the indexes of unfinished work, so that finished
 * documents are not read.
 */
async function readWork(db: Db, providerId: string): Promise<{ at: Date; rows: StoredWork[] }> {
  const { rows } = await sql<WorkOfSheets>`
    select run.batch_number as "batchNumber",
      case run.state when 'OPEN' then 'collecting' when 'RELEASED' then 'released' else 'in-hand' end as phase,
      run.print_location as "printLocation", run.stationery, run.format, run.plex, run.colour,
      run.despatch_method as "despatchMethod", run.cut_off_at as "cutOffAt", run.expected_despatch_on as "expectedDespatchDate",
      ${materialsOf} as materials, work.sheets, coalesce(work.documents, 0)::integer as "documentCount",
      coalesce(work.documents * work.sheets, 0)::integer as "sheetCount"
    from print_run run
    left join lateral (
      select sheets, count(*) as documents
      from print_run_document
      where batch_number = run.batch_number and outcome is null and removed_at is null and voided_at is null
      group by sheets
    ) work on true
    where run.provider_id = ${providerId} and run.state not in ('CLOSED', 'VOIDED')
    order by run.batch_number, work.sheets`.execute(db)
  const { rows: clock } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  return { at: clock[0]!.at, rows: rows.map(inBand) }
}

/** Documents of the same number of sheets in one print run; null without documents. */
type WorkOfSheets = Omit<StoredWork, 'weightBand'> & PrintedOn & { sheets: number | null }

function inBand({ sheets, materials, ...work }: WorkOfSheets): StoredWork {
  const { stationery } = work
  const weightBand = sheets === null ? null : weightBandIndexOf(sheets, { stationery, materials })
  return { ...work, weightBand }
}
