import type { Enquiry, EnquiryOutcome } from '@despatch/domain/enquiry/audited-enquiry'
import { repeatLost } from '@despatch/postgres/lost-reply'
import type pg from 'pg'
import { createGroupCommit } from '../group-commit.ts'

export type { Enquiry, EnquiryOutcome }

const enquiriesMax = 200
// One, because a second concurrent commit would halve the groups, and cost more than the disk wait that it saves.
const commitsMax = 1
const idsTaken = 1_000
const uniqueViolation = '23505'

/**
 * Saves a row for each enquiry. The promise resolves when the row is on disk, so that the answer can wait for it, and
 * rejects if the row was not saved. Concurrent enquiries share a commit, which is one statement. If its reply is lost,
 * the statement is sent again: it waits for the lost one, and rows with its ids are its own. If a database went back in
 * time, ids that were taken before may belong to other rows. The process then takes other ids.
 */
export function createEnquiryAudit(pool: pg.Pool): (enquiry: Enquiry) => Promise<void> {
  let ids: number[] = []

  async function insertWithIds(enquiries: readonly Enquiry[]): Promise<undefined[]> {
    if (ids.length < enquiries.length) ids = await takeIds(pool)
    await insertEnquiries(pool, enquiries, ids.splice(0, enquiries.length))
    return []
  }

  return createGroupCommit<Enquiry, undefined>({
    commit: (enquiries) =>
      insertWithIds(enquiries).catch((error) => {
        if ((error as { code?: unknown }).code !== uniqueViolation) throw error
        ids = []
        return insertWithIds(enquiries)
      }),
    itemsMax: enquiriesMax,
    commitsMax,
  })
}

// PostgreSQL cannot unnest lists of lists: the names of a row are passed as one text. None of them has a line break.
const insert = {
  name: 'insert-enquiries',
  text: `
    insert into enquiry_audit
      (id, consumer_id, service, number_hash, outcome, status, correlation_id, purpose, asked, results)
    overriding system value
    select id, consumer_id, service, number_hash, outcome, status, correlation_id, purpose,
      string_to_array(asked, E'\\n'), results
    from unnest($1::uuid[], $2::text[], $3::bytea[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::text[],
      $9::integer[], $10::bigint[]) as enquiry
      (consumer_id, service, number_hash, outcome, status, correlation_id, purpose, asked, results, id)`,
}
const insertAgain = {
  name: 'insert-enquiries-again',
  text: `${insert.text} on conflict do nothing`,
}

/** Takes ids before they are needed. Those of a process that ends are not used. */
async function takeIds(pool: pg.Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select nextval('enquiry_audit_id_seq') as id from generate_series(1, $1)`,
    [idsTaken],
  )
  return rows.map(({ id }) => id)
}

async function insertEnquiries(
  pool: pg.Pool,
  enquiries: readonly Enquiry[],
  ids: readonly number[],
): Promise<void> {
  const values = [
    enquiries.map(({ consumerId }) => consumerId),
    enquiries.map(({ service }) => service),
    enquiries.map(({ numberHash }) => numberHash),
    enquiries.map(({ outcome }) => outcome),
    enquiries.map(({ status }) => status),
    enquiries.map(({ correlationId }) => correlationId),
    enquiries.map(({ purpose }) => purpose),
    enquiries.map(({ asked }) => asked.join('\n')),
    enquiries.map(({ results }) => results),
    ids,
  ]
  let statement = insert
  await repeatLost(() => {
    const sent = pool.query({ ...statement, values })
    statement = insertAgain
    return sent
  })
}
