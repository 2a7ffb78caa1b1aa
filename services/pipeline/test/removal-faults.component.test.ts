import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { markObjectsForDeletion } from '@despatch/store/purge/mark-for-deletion'
import { Registry } from '@despatch/telemetry/metrics'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { createRemover } from '../src/upkeep/remover.ts'
import { isLockOfThisDatabase, someObjectsToDelete } from './some-objects-to-delete.ts'

const unused = await shared(someObjectsToDelete())

test('an object that cannot be removed does not delay other objects', async () => {
  const files = []
  for (let number = 0; number < 12; number++) files.push(await unused.aFileToDelete())
  const stuck = files[3]!
  const remover = unused.aRemover(async (key) => {
    if (key === stuck.key) throw new Error('No permission')
    await unused.objects.remove(key)
  })

  await expect(remover.pass()).rejects.toThrow('No permission')

  const others = files.filter((file) => file !== stuck)
  for (const file of others) await unused.submit(file)
  expect(await Promise.all(others.map(unused.isThere))).toEqual(others.map(() => true))
  await unused.leasesEndedLongAgo()
  await unused.aRemover().pass()
  expect(await unused.isThere(stuck)).toBe(false)
})

test('an object whose removal failed can be referenced after the lease and before the next attempt', async () => {
  const stuck = await unused.aFileToDelete()
  const remover = unused.aRemover(async () => {
    throw new Error('No permission')
  })
  await expect(remover.pass()).rejects.toThrow('No permission')
  await unused.leasesEnd({ secondsAgo: 590 })

  await remover.pass()
  await unused.submit(stuck)
  await remover.pass()

  expect([await unused.isThere(stuck), await unused.rowOf(stuck)]).toEqual([true, undefined])
})

test('objects in use do not delay the objects after them', async () => {
  const named = Array.from({ length: 251 }, () => unused.aFile())
  await saveSubmissions(unused.pool, named.map(unused.submissionOf))
  await markObjectsForDeletion(
    unused.db,
    named.map((file) => file.named),
    'replaced',
  )
  const remover = unused.aRemover()

  expect([await remover.pass(), await remover.pass()]).toEqual(['again', 'idle'])
  expect(await Promise.all(named.map(unused.rowOf))).toEqual(named.map(() => undefined))
})

test('of concurrent removals one waits for transactions that reference bytes of its lane, and the others wait in line', async () => {
  const files = [await unused.aFileToDelete(), await unused.aFileToDelete()]
  const client = await unused.pool.connect()
  await client.query('begin')
  for (const { sha256 } of files) {
    await client.query(`select pg_advisory_xact_lock_shared(1146048333, object_lock('file', $1))`, [
      Buffer.from(sha256, 'hex'),
    ])
  }
  const waiting = async () => {
    const { rows } = await unused.pool.query(
      `select objid < 256 as "isOfObjects" from pg_locks
       where ${isLockOfThisDatabase} and not granted order by 1`,
    )
    return rows.map(({ isOfObjects }) => isOfObjects)
  }

  const removals = files.map(({ named }) => unused.aRemover().remove([named]))
  await eventually(async () => (await waiting()).length === 2, {
    message: 'both removals wait for a lock',
  })

  expect(await waiting()).toEqual([false, true])
  await client.query('commit')
  client.release()
  await Promise.all(removals)
  expect(await Promise.all(files.map(unused.isThere))).toEqual([false, false])
})

test('a removal is aborted long before its lease ends if the object store does not respond', async () => {
  await unused.aFileToDelete()
  let signal: AbortSignal | undefined
  const remover = unused.aRemover(
    (_key, options) =>
      new Promise((_, reject) => {
        signal = options?.signal
        signal?.addEventListener('abort', () => reject(signal?.reason))
      }),
    { patienceMs: 3_000 },
  )

  await expect(remover.pass()).rejects.toThrow(/timeout/)

  expect(signal?.aborted).toBe(true)
  await unused.leasesEndedLongAgo()
  await unused.aRemover().pass()
})

test('no object is removed after its time limit, even if the object store answers slowly', async () => {
  const file = await unused.aFileToDelete()
  const asked: string[] = []
  const patienceMs = 3_000
  const slow = createRemover({
    db: unused.db,
    objects: {
      head: async (key) => {
        asked.push('head')
        const found = await unused.objects.head(key)
        // blocks the thread, so that the timer is late as well
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, patienceMs)
        return found
      },
      removeTogether: async () => {
        asked.push('remove')
        return []
      },
    },
    registry: new Registry(),
    patienceMs,
    now: () => new Date(Date.now() + 90 * 60 * 1000),
  })

  await expect(slow.remove([file.named])).rejects.toThrow('too slow')

  expect([asked, await unused.isThere(file)]).toEqual([['head'], true])
  await unused.leasesEndedLongAgo()
  await unused.aRemover().pass()
})

test('an unanswered deletion stays leased, and deletions that were not sent are released', async () => {
  const named = Array.from({ length: 126 }, () => unused.aFile().named)
  await markObjectsForDeletion(unused.db, named, 'purged')
  const remover = createRemover({
    db: unused.db,
    registry: new Registry(),
    objects: {
      head: async () => undefined,
      removeTogether: async () => {
        throw new Error('No answer')
      },
    },
    now: () => new Date(Date.now() + 90 * 60 * 1000),
  })

  await expect(remover.pass()).rejects.toThrow('No answer')

  const { rows } = await unused.pool.query(
    `select count(*)::integer as count, lease_until > now() as "isLeased" from doomed_object
     where is_due and is_barred group by 2 order by 2`,
  )
  expect(rows).toEqual([
    { count: 1, isLeased: false },
    { count: 125, isLeased: true },
  ])
  await unused.pool.query('delete from doomed_object')
})
