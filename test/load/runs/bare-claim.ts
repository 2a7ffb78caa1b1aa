import type pg from 'pg'
import { timed } from '../statistics.ts'

export type BareClaim = {
  /** Copies the print jobs that are PENDING. */
  prepare(): Promise<void>
  /** Returns the seconds. */
  claim(): Promise<number>
}

/**
 * The rival of a claim. It moves the same print jobs in tables of the same kind with the same indexes. One statement in
 * one durable transaction moves them and writes an event for each. It freezes no list and computes no digest.
 */
export async function openBareClaim(pool: pg.Pool): Promise<BareClaim> {
  await pool.query('create schema bench')
  for (const table of ['print_job', 'print_job_event']) {
    await pool.query(`create table bench.${table} (like ${table} including all)`)
  }
  let copied: number | null = 0
  return {
    async prepare() {
      await pool.query('truncate bench.print_job, bench.print_job_event')
      const { rowCount } = await pool.query(
        `insert into bench.print_job select * from print_job where status = 'PENDING'`,
      )
      copied = rowCount
      await pool.query('analyze bench.print_job')
    },
    async claim() {
      const [seconds, { rowCount }] = await timed(() =>
        pool.query(`
          with moved as (
            update bench.print_job set status = 'PRODUCTION', fulfilment_job_id = batch_number || '-001',
              document_id = 'D' || document_number, print_location = 'BENCH', event_sequence = event_sequence + 1,
              updated_at = now()
            where status = 'PENDING'
            returning key, event_sequence
          )
          insert into bench.print_job_event (print_job_key, sequence, transition, status, actor)
          select key, event_sequence, 'produce', 'PRODUCTION', 'provider:bench' from moved`),
      )
      if (rowCount !== copied) throw new Error('The floor has not moved every print job')
      return seconds
    },
  }
}
