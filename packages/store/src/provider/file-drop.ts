import {
  isInProduction,
  type PrintRunState,
  printRunStates,
} from '@despatch/domain/print-run/state'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'

/** A file-drop provider. Without a consumer of its own it cannot act. */
export type FileDropProvider = { providerId: string; consumerId: string | null }

/** Lists the file-drop providers. Each acts as its oldest enabled consumer with the provider role. */
export async function listFileDropProviders(db: Db): Promise<FileDropProvider[]> {
  const { rows } = await sql<FileDropProvider>`
    select provider.id as "providerId", (
        select consumer.id from consumer
        where consumer.provider_id = provider.id and 'provider' = any (consumer.roles)
          and consumer.disabled_at is null
        order by consumer.created_at, consumer.id limit 1
      ) as "consumerId"
    from provider where provider.exchange = 'file-drop'
    order by provider.id`.execute(db)
  return rows
}

export type FileDropRun = { batchNumber: string; state: PrintRunState }

/**
 * Lists the print runs that the provider has not claimed yet, then those that it has not acknowledged. Oldest release
 * first in each group.
 */
export async function listUnacknowledgedRuns(
  db: Db,
  { providerId, runsMax }: { providerId: string; runsMax: number },
): Promise<FileDropRun[]> {
  const { rows } = await sql<FileDropRun>`
    select batch_number as "batchNumber", state from print_run
    where provider_id = ${providerId} and state in ('RELEASED', 'CLAIMED')
    order by state = 'CLAIMED', released_at, batch_number limit ${runsMax}`.execute(db)
  return rows
}

/**
 * Lists claimed print runs that an operator moved in the last `sinceDays` days. The files that the provider received
 * for them are void.
 */
export async function listVoidedRuns(
  db: Db,
  { providerId, sinceDays }: { providerId: string; sinceDays: number },
): Promise<{ batchNumber: string; voidedAt: Date }[]> {
  const { rows } = await sql<{ batchNumber: string; voidedAt: Date }>`
    select batch_number as "batchNumber", voided_at as "voidedAt" from print_run
    where provider_id = ${providerId} and state = 'VOIDED' and claimed_at is not null
      and voided_at > now() - ${sinceDays}::integer * interval '1 day'
    order by batch_number`.execute(db)
  return rows
}

const working = printRunStates.filter(isInProduction)

/** Lists print runs in production that have authorised reprints. */
export async function listRunsWithReprints(db: Db, providerId: string): Promise<string[]> {
  const { rows } = await sql<{ batch_number: string }>`
    select batch_number from print_run
    where provider_id = ${providerId} and state = any (${working}::text[])
      and exists (
        select from reprint
        where reprint.batch_number = print_run.batch_number and reprint.state = 'AUTHORISED')
    order by batch_number`.execute(db)
  return rows.map(({ batch_number }) => batch_number)
}

/**
 * Does the work under the provider's file-drop lock. Returns undefined if another process has the lock. The lock
 * belongs to the database session, so a process that dies loses it.
 */
export async function withFileDropLock<Result>(
  pool: pg.Pool,
  providerId: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const lock = [`file_drop:${providerId}`]
  const client = await pool.connect()
  let isLocked = false
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
      lock,
    )
    isLocked = rows[0]?.locked ?? false
    return isLocked ? await work() : undefined
  } finally {
    const unlocked =
      !isLocked ||
      (await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock).then(
        () => true,
        () => false,
      ))
    client.release(!unlocked)
  }
}
