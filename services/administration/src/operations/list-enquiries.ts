import { renderEnquiry } from '@despatch/contracts/administration/enquiry'
import { listEnquiries as operation } from '@despatch/contracts/administration/operations'
import { cursorAfter } from '@despatch/contracts/page'
import { normaliseDrivingLicenceNumber } from '@despatch/domain/driver/driving-licence-number'
import { invalidFields, Problem } from '@despatch/domain/problem'
import { normaliseRegistrationNumber } from '@despatch/domain/vehicle/registration-number'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { listEnquiries as listStored } from '@despatch/store/enquiry/enquiry-audit-list'
import { actorOf } from '../actor-of.ts'
import { listConsumers } from '../consumer-list.ts'

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
      const enquiries = await listStored(db, {
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
        enquiries: enquiries.map(renderEnquiry),
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
  const [consumer] = await listConsumers(db, { userName, consumersMax: 1 })
  if (consumer) return consumer.id
  throw new Problem('consumer-not-found', `There is no consumer ${userName}`)
}

function namesOfFilters(search: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(search).filter((name) => name !== 'limit')
}
