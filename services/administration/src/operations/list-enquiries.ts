import { listEnquiries as operation } from '@despatch/contracts/administration/operations'
import { cursorAfter } from '@despatch/contracts/page'
import { normaliseDrivingLicenceNumber } from '@despatch/domain/driver/driving-licence-number'
import type { EnquiryOutcome, EnquiryService } from '@despatch/domain/enquiry/audited-enquiry'
import { invalidFields, Problem } from '@despatch/domain/problem'
import { normaliseRegistrationNumber } from '@despatch/domain/vehicle/registration-number'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { listConsumerPage } from '../consumer/consumers.ts'
import { actorOf } from '../operator/access.ts'

export type ListEnquiriesContext = {
  db: Db
  /** Returns the hash under which enquiries about a normalised number are stored. */
  hashNumber: (number: string) => Buffer
}

/** POST /enquiries/search: lists who asked for which vehicle or driver, newest first. */
export function listEnquiries(api: Api, { db, hashNumber }: ListEnquiriesContext): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const search = request.body
      const { service, outcome, from, to, cursor, limit } = search
      const number = numberOf(search)
      const consumerId = await findConsumerId(db, search)
      // Comes before the search, so that a failed search is audited too.
      await insertAuditEvent(db, {
        actor: actorOf(request.caller),
        action: 'enquiries.searched',
        detail: { filters: namesOfFilters(search) },
      })
      const enquiries = await selectEnquiries(db, {
        consumerId,
        service,
        outcome,
        numberHash: number === undefined ? undefined : hashNumber(number),
        from: from === undefined ? undefined : new Date(from),
        to: to === undefined ? undefined : new Date(to),
        before: cursor,
        enquiriesMax: limit,
      })
      return {
        enquiries,
        ...cursorAfter(enquiries, limit, ({ id }) => id),
      }
    },
  })
}

type Search = {
  registrationNumber?: string
  drivingLicenceNumber?: string
  consumerId?: string
  userName?: string
}

/**
 * Returns the number as the enquiry services hash it. Number plates are often written with a space, which is not part
 * of the number.
 */
function numberOf({ registrationNumber, drivingLicenceNumber }: Search): string | undefined {
  if (drivingLicenceNumber !== undefined) return normaliseDrivingLicenceNumber(drivingLicenceNumber)
  if (registrationNumber === undefined) return undefined
  const number = normaliseRegistrationNumber(registrationNumber.replaceAll(/\s/g, ''))
  if (number !== undefined) return number
  const field = 'registrationNumber'
  const detail = `${field} must be at most 8 letters and digits`
  throw invalidFields([{ field, code: 'Pattern', detail }])
}

async function findConsumerId(db: Db, { consumerId, userName }: Search) {
  if (userName === undefined) return consumerId
  const [consumer] = await listConsumerPage(db, { userName, consumersMax: 1 })
  if (consumer) return consumer.consumerId
  throw new Problem('consumer-not-found', `There is no consumer ${userName}`)
}

function namesOfFilters(search: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(search).filter((name) => name !== 'limit')
}

const referenceDigits = 12

type EnquiryPage = {
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

function selectEnquiries(db: Db, page: EnquiryPage) {
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
      'enquiry.outcome',
      'enquiry.status',
      'enquiry.correlation_id as correlationId',
      'enquiry.purpose',
      'enquiry.asked',
      'enquiry.results',
      sql<string | null>`left(encode(enquiry.number_hash, 'hex'), ${referenceDigits})`.as(
        'numberReference',
      ),
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
