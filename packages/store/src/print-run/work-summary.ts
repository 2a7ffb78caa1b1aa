import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { MailFormat } from '@despatch/domain/print-run/mail-format'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Plex } from '../schema-fulfilment.ts'

/** The phase of a print run: it is gathering, it is offered, or it is claimed and not closed. */
export type WorkPhase = 'collecting' | 'released' | 'in-hand'

/** The unaccounted documents of one print run in one weight band. A run without any has one row with zero counts. */
export type UnaccountedWork = {
  batchNumber: string
  phase: WorkPhase
  printLocation: string
  stationery: string
  format: MailFormat
  plex: Plex
  colour: boolean
  despatchMethod: PrintRunDespatchMethod
  cutOffAt: Date | null
  expectedDespatchDate: string | null
  /**
   * The index of the band in `sheetsMax`; equal to its length for documents above the last band, null without
   * documents.
   */
  weightBand: number | null
  documentCount: number
  sheetCount: number
}

export type Work = { at: Date; rows: UnaccountedWork[] }

/**
 * Reads all unaccounted work of a provider, in one snapshot. Uses indexes of unfinished work, so that millions of
 * finished documents cost nothing. `sheetsMax` lists the maximum sheets of each weight band, ascending.
 */
export async function readWork(
  db: Db,
  { providerId, sheetsMax }: { providerId: string; sheetsMax: readonly number[] },
): Promise<Work> {
  const { rows } = await sql<UnaccountedWork>`
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
