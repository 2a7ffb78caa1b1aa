import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { consumerWithCallbacks, callbackOrigins as origins } from './a-consumer-with-callbacks.ts'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())
const { db } = administration

const send = (consumerId: string, body: unknown = {}) =>
  administration.asOperator('POST', `/consumers/${consumerId}/test-callback`, body)

/** A consumer with a callback at each origin; that at the second origin is newer. */
async function aCalledConsumer({ destination = Buffer.from('SEALED') as Buffer | null } = {}) {
  const consumer = await consumerWithCallbacks(db)
  await db
    .updateTable('print_job')
    .set({ callback_destination_sealed: destination })
    .where('consumer_id', '=', consumer.consumerId)
    .execute()
  for (const origin of origins) await consumer.owes('DELIVERED', { origin })
  return consumer
}

async function sentTo(callbackId: string) {
  const { body, ...row } = await db
    .selectFrom('callback')
    .select(['kind', 'state', 'origin', 'print_job_key', 'destination_sealed', 'body'])
    .where('id', '=', callbackId)
    .executeTakeFirstOrThrow()
  return { ...row, type: JSON.parse(body.toString()).type }
}

describe('POST /consumers/{consumerId}/test-callback', () => {
  test('202: sends the test message to the sealed destination of the newest callback', async () => {
    const { consumerId } = await aCalledConsumer()

    const { status, body } = await send(consumerId)

    expect([status, body]).toEqual([
      202,
      { callbackId: expect.stringMatching(/^[0-9a-f-]{36}$/), origin: origins[1] },
    ])
    expect(await sentTo(body.callbackId)).toEqual({
      kind: 'test',
      state: 'DUE',
      origin: origins[1],
      print_job_key: null,
      destination_sealed: Buffer.from('SEALED'),
      type: 'despatch.print.messages.v1.TestMessage',
    })
    expect(await administration.audited(`consumerId=${consumerId}`)).toMatchObject([
      { action: 'callback.test-sent', actor: administration.actorOf('operator') },
    ])
  })

  test('202: sends the test message to another recent origin, in any notation', async () => {
    const { consumerId } = await aCalledConsumer()

    const { status, body } = await send(consumerId, { origin: 'https://A.example:443' })

    expect([status, body.origin]).toEqual([202, origins[0]])
    expect(await sentTo(body.callbackId)).toMatchObject({ origin: origins[0] })
  })

  test('400: the consumer was never called at the origin, or no destination is stored', async () => {
    const { consumerId } = await aCalledConsumer()
    const purged = await aCalledConsumer({ destination: null })

    const known = `origin must be one of ${origins[1]}, ${origins[0]}`
    expect(await send(consumerId, { origin: 'https://c.example' })).toMatchObject(
      aProblem(400, { detail: known }),
    )
    const none = 'The consumer has no recent callback whose address is kept'
    expect(await send(purged.consumerId)).toMatchObject(aProblem(400, { detail: none }))
  })
})
