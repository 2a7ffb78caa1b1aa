import { aDatabase } from '@despatch/testing/a-database'
import { insertConsumer, someStandardParams } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Tx } from '../src/database.ts'
import {
  findFirstAccepted,
  listWaitingGroups,
  lockReadyJobs,
} from '../src/print-run/waiting-groups.ts'

const { db, pool } = await shared(aDatabase({ connectionsMax: 2 }))

const contracts = 24
const methods = ['FIRST', 'SECOND']
const sheetsMax = 5
const groupsMade = contracts * methods.length * sheetsMax
const lettersOfGroup = 125

/** Inserts letters of many groups, of which the statistics of the table know nothing, without their history. */
async function insertLetters(): Promise<void> {
  await pool.query('alter table print_job set (autovacuum_enabled = off)')
  const { consumerId } = await insertConsumer(db)
  await pool.query(
    `insert into contract (id, consumer_id, job_type, template_reference, production, callback_statuses)
     select gen_random_uuid(), $1, 'LETTER', 'T' || n, 'letter', '{DESPATCHED}' from generate_series(1, $2::integer) n`,
    [consumerId, contracts],
  )
  await db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_statuses,
        correlation_id, request_fingerprint, produced_as, printable_address, document_sha256, document_bytes,
        document_pages, document_sheets, document_number, created_at)
      select gen_random_uuid(), ${consumerId}, gen_random_uuid()::text, 'PENDING', contract.id,
        ${JSON.stringify(someStandardParams)}, '{}', 'many', '', method, '{"postcode":"AB1 2CD"}',
        decode(repeat('ab', 32), 'hex'), 10, sheets, sheets, nextval('document_number'),
        now() - random() * interval '1 hour'
      from contract, unnest(${methods}::text[]) method, generate_series(1, ${sheetsMax}::integer) sheets,
        generate_series(1, ${lettersOfGroup}::integer)
      where template_reference like 'T%'`.execute(tx)
  })
}

/** Counts the rows of print_job that this transaction has read. */
async function countRead(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read
    from pg_stat_xact_user_tables where relname = 'print_job'`.execute(tx)
  return rows[0]!.read
}

test('a pass reads some letters of each group without table statistics', async () => {
  await insertLetters()
  const at = new Date()

  const read = await db.transaction().execute(async (tx) => {
    const groups = await listWaitingGroups(tx, at)
    const readings = groups.map((group) => ({ ...group, jobsMax: 3 }))
    const listed = await countRead(tx)
    const jobs = await lockReadyJobs(tx, readings, { at, jobsMax: 10_000 })
    const locked = (await countRead(tx)) - listed
    const firstOfTwo = await findFirstAccepted(tx, groups.slice(0, 2), at)
    const found = (await countRead(tx)) - locked - listed
    return { groups: groups.length, jobs: jobs.length, listed, locked, firstOfTwo, found }
  })

  expect(read).toMatchObject({ groups: groupsMade, jobs: 3 * groupsMade })
  expect(read.listed).toBeLessThanOrEqual(3 * groupsMade)
  expect(read.locked).toBeLessThanOrEqual(2 * read.jobs)
  expect(read.found).toBeLessThanOrEqual(2 * lettersOfGroup)
})
