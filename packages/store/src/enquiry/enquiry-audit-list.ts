import type {
  Enquiry,
  EnquiryOutcome,
  EnquiryService,
} from '@despatch/domain/enquiry/audited-enquiry'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type ListedEnquiry = Omit<Enquiry, 'asked'> & {
  id: string
  at: Date
  userName: string | null
  asked: string[]
}

export type EnquiryPage = {
  consumerId?: string | undefined
  service?: EnquiryService | undefined
  outcome?: EnquiryOutcome | undefined
  numberHash?: Buffer | undefined
  /** Inclusive start. */
  from?: Date | undefined
  /** Exclusive end. */
  to?: Date | undefined
  /** The id of the last enquiry of the previous page. */
  before?: string | undefined
  enquiriesMax: number
}

/** Lists the enquiries that match, newest first. */
export async function listEnquiries(db: Db, page: EnquiryPage): Promise<ListedEnquiry[]> {
  const { consumerId, service, outcome, numberHash, from, to, before, enquiriesMax } = page
  let query = db
    .selectFrom('enquiry_audit as enquiry')
    .leftJoin('consumer', 'consumer.id', 'enquiry.consumer_id')
    .select([
      sql<string>`enquiry.id::text`.as('id'),
      'enquiry.at',
      'enquiry.consumer_id as consumerId',
      'consumer.user_name as userName',
      'enquiry.service',
      'enquiry.number_hash as numberHash',
      'enquiry.outcome',
      'enquiry.status',
      'enquiry.correlation_id as correlationId',
      'enquiry.purpose',
      'enquiry.asked',
      'enquiry.results',
    ])
  if (consumerId !== undefined) query = query.where('enquiry.consumer_id', '=', consumerId)
  if (service !== undefined) query = query.where('enquiry.service', '=', service)
  if (outcome !== undefined) query = query.where('enquiry.outcome', '=', outcome)
  if (numberHash !== undefined) query = query.where('enquiry.number_hash', '=', numberHash)
  if (from !== undefined) query = query.where('enquiry.at', '>=', from)
  if (to !== undefined) query = query.where('enquiry.at', '<', to)
  if (before !== undefined) query = query.where(isOlderThan(before))
  return query
    .orderBy('enquiry.at', 'desc')
    .orderBy('enquiry.id', 'desc')
    .limit(enquiriesMax)
    .execute()
}

// The comparison of times appears twice so that PostgreSQL can use the index on the time. It cannot for a comparison of
// the pair.
function isOlderThan(id: string) {
  const at = sql`(select at from enquiry_audit where id = ${id}::bigint)`
  return sql<boolean>`enquiry.at <= ${at} and (enquiry.at < ${at} or enquiry.id < ${id}::bigint)`
}
