import { hash, randomUUID } from 'node:crypto'
import type { CallbackState } from '@despatch/domain/callback/callback-state'
import type { DocumentOutcome } from '@despatch/domain/print-run/document-progress'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import { documentKey, fileKey, uploadKey } from '@despatch/object-store/keys'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import { insertProvider } from '@despatch/store/access/consumers'
import type { Schema } from '@despatch/store/schema'
import { Registry } from '@despatch/telemetry/metrics'
import { aDatabase } from '@despatch/testing/a-database'
import { insertConsumer, someStandardParams } from '@despatch/testing/print-job-builders'
import { sql } from 'kysely'
import { inject } from 'vitest'
import { createPurge, type PurgeOptions } from '../src/upkeep/purge.ts'
import { createRemover } from '../src/upkeep/remover.ts'

const dayMs = 24 * 60 * 60 * 1000
export const daysAgo = (days: number) => new Date(Date.now() - days * dayMs)

export type Ended = {
  status?: 'DESPATCHED' | 'REJECTED' | 'PENDING' | 'PRODUCTION'
  /** Default: a key that begins with a time of no month, so that its rows are in the default partitions. */
  key?: string
  daysAgo?: number
  isDeleted?: boolean
  contractId?: string
  callback?: CallbackState
  runState?: PrintRunState
  /** The outcome of its document in the print run. */
  outcome?: DocumentOutcome
  /** The content of its file and its document. Default: unique content. */
  content?: string
}

/** A separate database with ended print jobs, whose objects are in a real store. */
export async function endedPrintJobs() {
  const database = await aDatabase({ connectionsMax: 8 })
  const { db, pool } = database
  const own = database.openAs('pipeline')
  const objects: ObjectStore = openObjectStore(inject('infra').objectStore)
  const consumer = await insertConsumer(db)
  await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

  async function anEnded(given: Ended = {}) {
    const { status = 'DESPATCHED', isDeleted = false, content = randomUUID() } = given
    const endedAt = daysAgo(given.daysAgo ?? 100)
    const [key, uploadId] = [given.key ?? randomUUID().replace(/^./, 'f'), randomUUID()]
    const sha256 = hash('sha256', content, 'buffer')
    await db
      .insertInto('print_job')
      .values({
        key,
        consumer_id: consumer.consumerId,
        id: key,
        status,
        contract_id: given.contractId ?? consumer.contractId,
        standard_params: JSON.stringify(someStandardParams),
        callback_params: '{}',
        callback_statuses: ['DESPATCHED'],
        correlation_id: 'correlation-1',
        request_fingerprint: Buffer.alloc(32),
        document_sha256: sha256,
        document_number: numberOf(key),
        search_terms: sql<never>`'{1}'::bigint[]`,
        updated_at: endedAt,
        ...(status === 'DESPATCHED' && { despatched_at: endedAt }),
        ...(isDeleted && { deleted_at: endedAt }),
      })
      .execute()
    await db
      .insertInto('print_job_event')
      .values({ print_job_key: key, sequence: 1, transition: 'submit', status, actor: 'consumer' })
      .execute()
    await db
      .insertInto('print_job_file')
      .values({
        print_job_key: key,
        position: 0,
        file_id: 'scan',
        source: 'upload',
        upload_id: uploadId,
        sha256,
        bytes: content.length,
        media_type: 'image/png',
        pinned_at: endedAt,
      })
      .execute()
    const keys = [
      uploadKey(uploadId),
      fileKey(sha256.toString('hex')),
      documentKey(sha256.toString('hex')),
    ]
    for (const objectKey of keys) await objects.put(objectKey, Buffer.from(content), 'text/plain')
    if (given.callback) await addCallback(key, given.callback)
    if (given.runState) await addRun(key, sha256, given.runState, given.outcome)
    return { key, keys }
  }

  async function addCallback(key: string, state: CallbackState): Promise<void> {
    const hasEnded = state === 'DELIVERED' || state === 'DEAD'
    await db
      .insertInto('callback')
      .values({
        id: randomUUID(),
        consumer_id: consumer.consumerId,
        print_job_key: key,
        sequence: 1,
        status: 'DESPATCHED',
        origin: 'https://consumer.example',
        body: Buffer.from('{"data":{}}'),
        state,
        end_reason: state === 'DEAD' ? 'refused' : null,
        due_at: state === 'DUE' ? new Date() : null,
        ended_at: hasEnded ? new Date() : null,
      })
      .execute()
  }

  /** Inserts one test message for each age in days, each answered. Returns their ids. */
  async function someTestCallbacks(ages: readonly number[]): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>(
      `with called as (
         insert into callback (id, consumer_id, sequence, kind, origin, body, state, ended_at, destination_sealed)
         select gen_random_uuid(), $1, 1, 'test', 'https://consumer.example', '{"data":{}}', 'DELIVERED', ended_at, 'sealed'
         from unnest($2::timestamptz[]) as ended_at
         returning id, ended_at
       ), attempt as (
         insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, address, answer)
         select id, 1, ended_at, ended_at, 1, 'delivered', '192.0.2.1', 'thanks' from called
       )
       select id from called order by ended_at`,
      [consumer.consumerId, ages.map(daysAgo)],
    )
    return rows.map(({ id }) => id)
  }

  async function addRun(
    key: string,
    sha256: Buffer,
    state: PrintRunState,
    outcome: DocumentOutcome | null = null,
  ): Promise<void> {
    const batchNumber = `R-${key}`
    const claim = state === 'OPEN' || state === 'CLOSED' ? undefined : new Date()
    await db
      .insertInto('print_run')
      .values({
        batch_number: batchNumber,
        provider_id: 'north',
        print_location: 'NORTH',
        state,
        despatch_method: 'SECOND',
        stationery: key,
        plex: 'duplex',
        colour: true,
        opened_at: daysAgo(100),
        ...(claim && {
          claimed_at: claim,
          manifest_version: 1,
          manifest_digest: Buffer.alloc(32),
          acknowledged_at: claim,
          acknowledgement_hash: Buffer.alloc(32),
        }),
        ...(state === 'VOIDED' && { voided_at: new Date() }),
      })
      .execute()
    await db
      .insertInto('print_run_document')
      .values({
        batch_number: batchNumber,
        document_id: `D${numberOf(key)}`,
        print_job_key: key,
        sha256,
        bytes: 1,
        pages: 1,
        sheets: 1,
        outcome,
      })
      .execute()
  }

  async function aContract(retentionDays: number): Promise<string> {
    const id = randomUUID()
    await db
      .insertInto('contract')
      .values({
        id,
        consumer_id: consumer.consumerId,
        job_type: id,
        template_reference: 'LETTER',
        production: 'letter',
        retention_days: retentionDays,
      })
      .execute()
    return id
  }

  /** A pass of a separate process, whose clock makes all objects old enough. */
  function aPurge(
    given: Partial<PurgeOptions> = {},
    { head = objects.head }: Partial<Pick<ObjectStore, 'head'>> = {},
  ) {
    const registry = new Registry()
    const effects = {
      db: own.db,
      objects,
      registry,
      // a clock 90 minutes ahead, because objects are new in every test and new objects are not removed
      now: () => new Date(Date.now() + 90 * 60 * 1000),
      ...given,
    }
    const remover = createRemover({
      ...effects,
      objects: { head, removeTogether: effects.objects.removeTogether },
    })
    const pass = createPurge({
      deploymentDays: 90,
      log: { info: () => {} },
      remover,
      ...effects,
    })
    /** Runs a whole walk. */
    const walk = async (closing?: AbortSignal) => {
      while ((await pass(closing)) === 'again');
    }
    const metric = async (name: string) => {
      const found = await registry.getSingleMetric(name)!.get()
      return found.values[0]?.value
    }
    return { pass, walk, remover, metric }
  }

  const isPurged = async (key: string) => {
    const job = await read(key)
    return job.purged_at !== null
  }

  function read(key: string): Promise<Record<keyof Schema['print_job'], unknown>> {
    return db.selectFrom('print_job').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
  }

  /** Expires the leases of a remover that died. */
  const leasesEnd = () =>
    pool.query(`update doomed_object set lease_until = now() - interval '1 second'
      where lease_until is not null`)

  const objectsLeft = async (keys: readonly string[]) => {
    const heads = await Promise.all(
      keys.map(async (key) => [key, await objects.head(key)] as const),
    )
    return heads.flatMap(([key, head]) => (head ? [key.split('/')[0]] : []))
  }

  return {
    db,
    pool,
    objects,
    consumer,
    anEnded,
    someTestCallbacks,
    aContract,
    aPurge,
    isPurged,
    read,
    leasesEnd,
    objectsLeft,
    url: database.url,
    close: async () => {
      objects.close()
      await database.close()
    },
  }
}

/** Distinct enough for the letters of a test. */
function numberOf(key: string): number {
  return Number.parseInt(key.slice(0, 8), 16)
}
