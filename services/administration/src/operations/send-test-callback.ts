import { randomUUID } from 'node:crypto'
import { sendTestCallback as operation } from '@despatch/contracts/administration/operations'
import { unknownValue } from '@despatch/contracts/administration/problems'
import { renderTestMessage } from '@despatch/domain/callback/test-message'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { insertTestCallback } from '@despatch/store/callback/test-callback'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { chosenCallbacks } from '../callback/callbacks.ts'
import { getListedConsumer } from '../consumer/consumers.ts'
import { actorOf } from '../operator/access.ts'

/** The newest callbacks of a consumer that are searched for its destinations. */
const callbacksReadMax = 300

/** POST /consumers/{consumerId}/test-callback: sends a test message to where the consumer was called last. */
export function sendTestCallback(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operation,
    handler: async ({ params: { consumerId }, body, caller }, reply) => {
      await getListedConsumer(db, consumerId)
      const known = await listDestinations(db, consumerId)
      if (known.length === 0) throw noDestination()
      const chosen = chosenCallbacks(body)
      const destination =
        chosen.origin === undefined
          ? known[0]
          : known.find(({ origin }) => origin === chosen.origin)
      if (!destination) {
        throw unknownValue(
          'origin',
          known.map(({ origin }) => origin),
        )
      }
      const callbackId = randomUUID()
      const message = { messageId: callbackId, at: now(), correlationId: callbackId }
      await transact(db, async (tx) => {
        await insertTestCallback(tx, {
          id: callbackId,
          consumerId,
          ...destination,
          body: renderTestMessage(message),
          retryParams: undefined,
        })
        await insertAuditEvent(tx, {
          actor: actorOf(caller),
          action: 'callback.test-sent',
          consumerId,
          detail: { callbackId, origin: destination.origin },
        })
      })
      return reply.code(202).send({ callbackId, origin: destination.origin })
    },
  })
}

function noDestination() {
  const detail = 'The consumer has no recent callback whose address is kept'
  return invalidFields([{ field: 'origin', code: 'Invalid', detail }])
}

type Destination = { origin: string; destinationSealed: Buffer }

/** Lists the newest destination at each origin, as it is sealed. The origin that was called last is first. */
async function listDestinations(db: Db, consumerId: string): Promise<Destination[]> {
  const { rows } = await sql<Destination>`
    select origin, "destinationSealed" from (
      select distinct on (callback.origin) callback.origin, callback.position,
        coalesce(callback.destination_sealed, job.callback_destination_sealed) as "destinationSealed"
      from (
        select * from callback where consumer_id = ${consumerId} order by position desc limit ${callbacksReadMax}) callback
      left join print_job job on job.key = callback.print_job_key
      where coalesce(callback.destination_sealed, job.callback_destination_sealed) is not null
      order by callback.origin, callback.position desc) newest
    order by position desc`.execute(db)
  return rows
}
