import { hash, randomUUID } from 'node:crypto'
import { fileKey } from '@despatch/object-store/keys'
import { type ObjectStore, openObjectStore } from '@despatch/object-store/object-store'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { commitStored } from '@despatch/store/purge/commit-stored'
import { markObjectsForDeletion } from '@despatch/store/purge/mark-for-deletion'
import { Registry } from '@despatch/telemetry/metrics'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { inject } from 'vitest'
import { createRemover, type Remover } from '../src/upkeep/remover.ts'

/** Deletes several objects by deleting each, so that a test can act on one. */
function removeEach(remove: ObjectStore['remove']): ObjectStore['removeTogether'] {
  return async (keys, options) => {
    const ends = await Promise.allSettled(keys.map((key) => remove(key, options)))
    return ends.flatMap((end, index) =>
      end.status === 'rejected' ? [{ key: keys[index]!, code: String(end.reason) }] : [],
    )
  }
}

/** A condition on rows of `pg_locks`, which has the locks of all databases. */
export const isLockOfThisDatabase = `locktype = 'advisory' and classid = 1146048333
  and database = (select oid from pg_database where datname = current_database())`

/** A separate database and files in a real object store, which print jobs name and stop using. */
export async function someObjectsToDelete() {
  const database = await aDatabase({ connectionsMax: 12 })
  const { db, pool } = database
  const own = database.openAs('pipeline')
  const objects: ObjectStore = openObjectStore(inject('infra').objectStore)
  const consumer = await insertConsumer(db)

  /** A file with unique content. */
  const aFile = () => {
    const bytes = Buffer.from(randomUUID())
    const sha256 = hash('sha256', bytes)
    return { bytes, sha256, key: fileKey(sha256), named: { kind: 'file' as const, sha256 } }
  }
  type File = ReturnType<typeof aFile>

  const put = (file: File) => objects.put(file.key, file.bytes, 'text/plain')

  /** A submission with the file, not saved yet. */
  const submissionOf = ({ bytes, sha256 }: File) =>
    aSubmission(consumer, {
      files: [
        {
          fileId: 'scan',
          source: 'custom-param',
          sha256,
          bytes: bytes.length,
          mediaType: 'text/plain',
        },
      ],
    })

  /** Stores a file and saves a print job with it, as intake does. Returns the key of the print job. */
  async function submit(file: File, betweenPutAndCommit = async () => {}): Promise<string> {
    const submission = submissionOf(file)
    let puts = 0
    await commitStored(db, {
      objects: [file.named],
      store: async () => {
        await put(file)
        puts += 1
        if (puts === 1) await betweenPutAndCommit()
      },
      commit: () => saveSubmissions(pool, [submission]),
    })
    return submission.key
  }

  /**
   * Submits until it succeeds: a file that is marked again and again may be barred for longer than a submission waits,
   * and then its sender repeats it.
   */
  const submitAgain = (file: File) =>
    eventually(() => submit(file), { message: 'a submission is saved' })

  /** Does what a purge of the print job does with its file. */
  async function purge(key: string, file: File): Promise<void> {
    await pool.query('update print_job set purge_began_at = now() where key = $1', [key])
    await markObjectsForDeletion(db, [file.named], 'purged')
  }

  /** A stored file that is marked for deletion and not in use. */
  async function aFileToDelete(): Promise<File> {
    const file = aFile()
    await put(file)
    await markObjectsForDeletion(db, [file.named], 'purged')
    return file
  }

  function aRemover(
    remove: ObjectStore['remove'] = objects.remove,
    options: { patienceMs?: number } = {},
  ): Remover {
    return createRemover({
      db: own.db,
      registry: new Registry(),
      ...options,
      objects: { head: objects.head, removeTogether: removeEach(remove) },
      // a clock 90 minutes ahead, because objects are new in every test and new objects are not removed
      now: () => new Date(Date.now() + 90 * 60 * 1000),
    })
  }

  const isThere = async ({ key }: File) => (await objects.head(key)) !== undefined

  const rowOf = async ({ sha256 }: File) => {
    const { rows } = await pool.query<{ due: boolean; barred: boolean; cause: string }>(
      `select is_due as due, is_barred as barred, cause from doomed_object where sha256 = decode($1, 'hex')`,
      [sha256],
    )
    return rows[0]
  }

  const leasesEnd = ({ secondsAgo = 1 } = {}) =>
    pool.query(
      `update doomed_object set lease_until = now() - $1::integer * interval '1 second' where lease_until is not null`,
      [secondsAgo],
    )

  /** Long enough ago that the removal is retried. */
  const leasesEndedLongAgo = () => leasesEnd({ secondsAgo: 601 })

  return {
    db,
    pool,
    objects,
    aFile,
    put,
    submissionOf,
    submit,
    submitAgain,
    purge,
    aFileToDelete,
    aRemover,
    isThere,
    rowOf,
    leasesEnd,
    leasesEndedLongAgo,
    close: async () => {
      objects.close()
      await database.close()
    },
  }
}
