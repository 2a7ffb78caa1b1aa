import type { Enquiry, EnquiryOutcome } from '@despatch/domain/enquiry/audited-enquiry'
import type pg from 'pg'
import { createGroupCommit } from '../group-commit.ts'
import { transactOn } from '../transact.ts'

export type { Enquiry, EnquiryOutcome }

const enquiriesMax = 200
// A second commit at the same time would halve the groups and cost more than the wait for the disk that it saves.
const commitsMax = 1

/**
 * Keeps a row of each enquiry. The promise settles when the row is on disk, so that the answer can wait for it, and is
 * rejected when it is not there. Enquiries at the same time share a commit.
 */
export function createEnquiryAudit(pool: pg.Pool): (enquiry: Enquiry) => Promise<void> {
  return createGroupCommit<Enquiry, undefined>({
    commit: (enquiries) => insertEnquiries(pool, enquiries),
    itemsMax: enquiriesMax,
    commitsMax,
  })
}

// Lists of lists cannot be unnested: the names of a row travel as one text, and none of them has a line break.
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
