import { hash, randomUUID } from 'node:crypto'
import { documentKey, fileKey, uploadKey } from '@despatch/object-store/keys'
import { endTurns } from '@despatch/store/callback/end-turns'
import { recordCallbacks } from '@despatch/store/callback/record'
import { insertTestCallback } from '@despatch/store/callback/test-callback'
import { createEnquiryAudit } from '@despatch/store/enquiry/enquiry-audit'
import { markObjectsForDeletion } from '@despatch/store/purge/mark-for-deletion'
import { aRecord, takeOnce } from '@despatch/testing/take-callbacks'
import type { World } from './a-world.ts'

/** Each kind of thing with personal data that is no letter. Each returns the objects that it stores. */
export const otherThings: Readonly<
  Record<string, (world: World, thing: string) => Promise<string[]>>
> = {
  'an upload that nobody uses': async ({ pipeline, marks }, thing) => [
    uploadKey(await pipeline.anUpload(Buffer.from(marks.of(thing).personal))),
  ],
  'an upload without a row': (world, thing) => put(world, thing, () => uploadKey(randomUUID())),
  'a file that nothing names': (world, thing) => put(world, thing, fileKey),
  'a document that nothing names': (world, thing) => put(world, thing, documentKey),
  'a document that was replaced': (world, thing) =>
    put(world, thing, async (sha256) => {
      await markObjectsForDeletion(world.db, [{ kind: 'document', sha256 }], 'replaced')
      return documentKey(sha256)
    }),
  'a test message that was delivered': (world, thing) => aTestMessage(world, thing),
  'a test message that is dead': (world, thing) => aTestMessage(world, thing),
  'a bulk action that has ended': (world, thing) =>
    aBulkAction(world, thing, `'ENDED', now(), $4, now()`),
  'a plan of a bulk action': (world, thing) =>
    aBulkAction(world, thing, `'PLANNED', null, null, null`),
  'an enquiry': async ({ pool, marks, consumer }, thing) => {
    const { id } = marks.of(thing)
    await createEnquiryAudit(pool)({
      consumerId: consumer.consumerId,
      service: 'driver-find',
      numberHash: null,
      outcome: 'found',
      status: 200,
      correlationId: `trail-${id}`,
      purpose: `for ${id}`,
      asked: ['lastName'],
      results: 1,
    })
    return []
  },
}

/** Stores bytes with a name under the key that their hash has. */
async function put(
  { objects, marks }: World,
  thing: string,
  keyOf: (sha256: string) => string | Promise<string>,
): Promise<string[]> {
  const bytes = Buffer.from(`of ${marks.of(thing).personal}`)
  const key = await keyOf(hash('sha256', bytes))
  await objects.put(key, bytes, 'application/octet-stream')
  return [key]
}

/** The item has the id of the print job, which its sender chose. */
async function aBulkAction(
  { pool, marks, consumer }: World,
  thing: string,
  end: string,
): Promise<string[]> {
  const { id } = marks.of(thing)
  await pool.query(
    `with planned as (
       insert into bulk_action (id, action, reason, digest, print_job_count, needs_second_person, planned_by, planned_at,
         state, confirmed_at, confirmed_by, ended_at)
       select $1, 'hold', $2, repeat('0', 64), 1, false, $4, now(), ${end}
     )
     insert into bulk_action_item (bulk_action_id, position, print_job_key, print_job_id) values ($1, 1, $1, $3)`,
    [randomUUID(), `wrong enclosure of ${id}`, id, consumer.consumerId],
  )
  return []
}

async function aTestMessage({ db, marks, consumer }: World, thing: string): Promise<string[]> {
  const { personal, id } = marks.of(thing)
  await insertTestCallback(db, {
    id: randomUUID(),
    consumerId: consumer.consumerId,
    origin: `https://${id}.example`,
    body: Buffer.from(`{"correlationId":"${id}"}`),
    destinationSealed: Buffer.from(`https://a.example/${personal}`),
    retryParams: undefined,
  })
  return []
}

/** Delivers every other callback and gives up the rest. Each receiver repeats personal data in its answer. */
export async function endCallbacks({ pool, marks }: World): Promise<void> {
  for (let isDelivered = true; ; ) {
    const { callbacks } = await takeOnce(pool)
    if (callbacks.length === 0) return
    for (const callback of callbacks) {
      const next = isDelivered ? { kind: 'delivered' } : { kind: 'abandon', reason: 'window-ended' }
      const record = aRecord(callback, next as never)
      const answer = Buffer.from(`thank you for ${marks.of('the answer to a callback').personal}`)
      const attempt = { ...record.attempt!, address: '192.0.2.1', answer }
      await recordCallbacks(pool, [{ ...record, attempt }])
      isDelivered = !isDelivered
    }
    await endTurns(pool, { batches: callbacks.map(({ batch }) => batch), kept: [] })
  }
}

/** Lists the objects that rows name. */
export async function listObjects({ pool }: World): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `select 'uploads/' || id as key from upload
     union select 'files/' || encode(sha256, 'hex') from print_job_file where sha256 is not null
     union select 'documents/' || encode(document_sha256, 'hex') || '.pdf' from print_job
       where document_sha256 is not null
     union select kind || 's/' || encode(sha256, 'hex') || case kind when 'document' then '.pdf' else '' end
       from doomed_object`,
  )
  return rows.map(({ key }) => key)
}

export async function listPresent({ objects }: World, keys: readonly string[]): Promise<string[]> {
  const heads = await Promise.all(keys.map((key) => objects.head(key)))
  return keys.filter((_, index) => heads[index])
}
