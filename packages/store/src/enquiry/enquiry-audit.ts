import type { Enquiry, EnquiryOutcome } from '@despatch/domain/enquiry/audited-enquiry'
import type pg from 'pg'
import { createGroupCommit } from '../group-commit.ts'
import { transactOn } from '../transact.ts'

export type { Enquiry, EnquiryOutcome }

const enquiriesMax = 200
// One, because a second concurrent commit would halve the groups, and cost more than the disk wait that it saves.
const commitsMax = 1

/**
 * Saves a row for each enquiry. The promise resolves when the row is on disk, so that the answer can wait for it, and
 * rejects if the row was not saved. Concurrent enquiries share a commit.
 */
export function createEnquiryAudit(pool: pg.Pool): (enquiry: Enquiry) => Promise<void> {
  return createGroupCommit<Enquiry, undefined>({
    commit: (enquiries) => insertEnquiries(pool, enquiries),
    itemsMax: enquiriesMax,
    commitsMax,
  })
}

// PostgreSQL cannot unnest lists of lists: the names of a row are passed as one text. None of them has a line break.
const insert = {
  name: 'insert-enquiries',
  text: `
    insert into enquiry_audit
      (consumer_id, service, number_hash, outcome, status, correlation_id, purpose, asked, results)
    select consumer_id, service, number_hash, outcome, status, correlation_id, purpose,
      string_to_array(asked, E'\\n'), results
    from unnest($1::uuid[], $2::text[], $3::bytea[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::text[],
      $9::integer[]) as enquiry
      (consumer_id, service, number_hash, outcome, status, correlation_id, purpose, asked, results)`,
}

async function insertEnquiries(pool: pg.Pool, enquiries: readonly Enquiry[]): Promise<undefined[]> {
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
  ]
  await transactOn(pool, (client) => client.query({ ...insert, values }))
  return []
}
