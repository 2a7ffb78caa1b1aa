import type { ContractChange } from '@despatch/contracts/administration/contract-change'
import * as operations from '@despatch/contracts/administration/operations'
import { cursorAfter } from '@despatch/contracts/page'
import { termChanges } from '@despatch/domain/contract/term-changes'
import type { Api } from '@despatch/http/api'
import { userNameOf } from '@despatch/store/access/user-name-of'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { getListedConsumer } from '../consumer/consumers.ts'
import { listAllContracts } from '../consumer/contracts.ts'

/** GET /consumers/{consumerId}/contracts: lists the consumer's contracts. */
export function listContracts(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listContracts,
    handler: async (request) => {
      const { consumerId } = await getListedConsumer(db, request.params.consumerId)
      return { contracts: await listAllContracts(db, consumerId) }
    },
  })
}

/** GET /consumers/{consumerId}/contract-changes: lists who changed which terms, from the audit. */
export function listContractChanges(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listContractChanges,
    handler: async ({ params: { consumerId }, query: { cursor, limit } }) => {
      await getListedConsumer(db, consumerId)
      const events = await listEvents(db, consumerId, { before: cursor, eventsMax: limit })
      return {
        contractChanges: events.map(toChange),
        ...cursorAfter(events, limit, ({ id }) => id),
      }
    },
  })
}

type Terms = Record<string, unknown>
type Detail = {
  contractId: string
  jobType: string
  templateReference: string
  /** The terms before. Absent: the contract was created. */
  before?: Terms
}
type ContractEvent = {
  id: string
  at: Date
  actor: string
  actorUserName: string | null
  action: 'contract.saved' | 'contract.retired'
  detail: Detail & Terms
}

function toChange({ action, detail, ...event }: ContractEvent): ContractChange {
  const { jobType, templateReference, before } = detail
  const { at, actor, actorUserName } = event
  const facts = { at, actor, actorUserName, jobType, templateReference }
  if (action === 'contract.retired') return { ...facts, effect: 'retire', changes: [] }
  if (!before) return { ...facts, effect: 'create', changes: [] }
  return { ...facts, effect: 'change', changes: termChanges(before, detail) }
}

type EventPage = {
  /** The id of the last event of the previous page. */
  before?: string | undefined
  eventsMax: number
}

async function listEvents(
  db: Db,
  consumerId: string,
  { before, eventsMax }: EventPage,
): Promise<ContractEvent[]> {
  const { rows } = await sql<ContractEvent>`
    select event.id::text, event.at, event.actor, ${userNameOf(sql`event.actor`)} as "actorUserName", event.action,
      event.detail
    from audit_event event
    where event.consumer_id = ${consumerId} and event.action in ('contract.saved', 'contract.retired')
      and (${before ?? null}::bigint is null or event.id < ${before ?? null}::bigint)
    order by event.id desc limit ${eventsMax}`.execute(db)
  return rows
}
