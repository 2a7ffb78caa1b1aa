import { getWorkSummary as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import {
  renderWorkSummary,
  type StoredWork,
} from '@despatch/contracts/print-fulfilment/work-summary'
import { sheetsMaxOfBands } from '@despatch/domain/print-run/weight'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { providerOf } from '../provider-of.ts'

/** GET /work-summary: returns, by stream, how much work is being gathered, is released, or is with the provider. */
export function getWorkSummary(api: Api, { db }: { db: Db }): void {
  const sheetsMax = sheetsMaxOfBands()
  api.route({
    ...operation,
    handler: async (request) =>
      renderWorkSummary(await readWork(db, { providerId: providerOf(request.caller), sheetsMax })),
  })
}

/**
 * Reads all unaccounted work of a provider, in one snapshot. Uses the indexes of unfinished work, so that finished
 * documents are not read. `sheetsMax` lists the maximum sheets of each weight band, ascending.
 */
async function readWork(
  db: Db,
  { providerId, sheetsMax }: { providerId: string; sheetsMax: readonly number[] },
): Promise<{ at: Date; rows: StoredWork[] }> {
  const { rows } = await sql<StoredWork>`
    select run.batch_number as "batchNumber",
      case run.state when 'OPEN' then 'collecting' when 'RELEASED' then 'released' else 'in-hand' end as phase,
      run.print_location as "printLocation", run.stationery, run.format, run.plex, run.colour,
      run.despatch_method as "despatchMethod", run.cut_off_at as "cutOffAt", run.expected_despatch_on as "expectedDespatchDate",
      work.weight_band as "weightBand", coalesce(work.documents, 0)::integer as "documentCount",
      coalesce(work.sheets, 0)::integer as "sheetCount"
    from print_run run
    left join lateral (
      select width_bucket(sheets, ${sheetsMax.map((sheets) => sheets + 1)}::integer[]) as weight_band,
        count(*) as documents, sum(sheets) as sheets
      from print_run_document
      where batch_number = run.batch_number and outcome is null and removed_at is null and voided_at is null
      group by weight_band
    ) work on true
    where run.provider_id = ${providerId} and run.state not in ('CLOSED', 'VOIDED')
    order by run.batch_number, work.weight_band`.execute(db)
  const { rows: clock } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  return { at: clock[0]!.at, rows }
}
