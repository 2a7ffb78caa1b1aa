import { doomObjects } from '@despatch/store/purge/doomed'
import { Registry } from '@despatch/telemetry/metrics'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { createRemover } from '../src/remover.ts'
import { someDoomedObjects } from './some-doomed-objects.ts'

const doomed = await shared(someDoomedObjects())

test('one that cannot be removed holds up nothing else: the others of its time are stored at once, or have gone', async () => {
  const files = []
  for (let number = 0; number < 12; number++) files.push(await doomed.aDoomedFile())
  const stuck = files[3]!
  const remover = doomed.aRemover(async (key) => {
    if (key === stuck.key) throw new Error('No permission')
    await doomed.objects.remove(key)
  })

  await expect(remover.pass()).rejects.toThrow('No permission')

  const others = files.filter((file) => file !== stuck)
  for (const file of others) await doomed.submit(file)
  expect(await Promise.all(others.map(doomed.isThere))).toEqual(others.map(() => true))
  await doomed.leasesEndedLongAgo()
  await doomed.aRemover().pass()
  expect(await doomed.isThere(stuck)).toBe(false)
})

test('one that could not be removed is named freely once its lease is over, before it is tried again', async () => {
  const stuck = await doomed.aDoomedFile()
  const remover = doomed.aRemover(async () => {
    throw new Error('No permission')
  })
  await expect(remover.pass()).rejects.toThrow('No permission')
  await doomed.leasesEnd({ secondsAgo: 590 })

  await remover.pass()
  await doomed.submit(stuck)
  await remover.pass()

  expect([await doomed.isThere(stuck), await doomed.rowOf(stuck)]).toEqual([true, undefined])
})

test('what is in use does not hold up what comes after it', async () => {
  const named = Array.from({ length: 101 }, () => doomed.aFile())
  for (const file of named) await doomed.submit(file)
  await doomObjects(
    doomed.db,
    named.map((file) => file.named),
    'replaced',
  )
  const remover = doomed.aRemover()

  expect([await remover.pass(), await remover.pass()]).toEqual(['again', 'idle'])
  expect(await Promise.all(named.map(doomed.rowOf))).toEqual(named.map(() => undefined))
})

test('of removals at the same time one waits for those who name bytes of its lane, the others for their turn', async () => {
  const files = [await doomed.aDoomedFile(), await doomed.aDoomedFile()]
  const client = await doomed.pool.connect()
  await client.query('begin')
  for (const { sha256 } of files) {
    await client.query(`select pg_advisory_xact_lock_shared(1146048333, object_lane('file', $1))`, [
      Buffer.from(sha256, 'hex'),
    ])
  }
  const waiting = async () => {
    const { rows } = await doomed.pool.query(
      `select objid < 256 as "isLane" from pg_locks
       where locktype = 'advisory' and classid = 1146048333 and not granted order by 1`,
    )
    return rows.map(({ isLane }) => isLane)
  }

  const removals = files.map(({ named }) => doomed.aRemover().remove([named]))
  await eventually(async () => (await waiting()).length === 2, { message: 'both wait' })

  expect(await waiting()).toEqual([false, true])
  await client.query('commit')
  client.release()
  await Promise.all(removals)
  expect(await Promise.all(files.map(doomed.isThere))).toEqual([false, false])
})

test('a removal that the object store does not answer is given up long before its lease ends', async () => {
  await doomed.aDoomedFile()
  let signal: AbortSignal | undefined
  const remover = doomed.aRemover(
    (_key, options) =>
      new Promise((_, reject) => {
        signal = options?.signal
        signal?.addEventListener('abort', () => reject(signal?.reason))
      }),
    { patienceMs: 1_000 },
  )

  await expect(remover.pass()).rejects.toThrow(/timeout/)

  expect(signal?.aborted).toBe(true)
  await doomed.leasesEndedLongAgo()
  await doomed.aRemover().pass()
})

test('nothing is removed once its time is over, however long the object store took to say what is there', async () => {
  const file = await doomed.aDoomedFile()
  const asked: string[] = []
  const patienceMs = 1_000
  const slow = createRemover({
    db: doomed.db,
    objects: {
      head: async (key) => {
        asked.push('head')
        const found = await doomed.objects.head(key)
        // blocks the thread, so that the timer is late as well
        const over = performance.now() + patienceMs
        while (performance.now() < over);
        return found
      },
      remove: async () => void asked.push('remove'),
    },
    ...{ registry: new Registry(), patienceMs },
    now: () => new Date(Date.now() + 90 * 60 * 1000),
  })

  await expect(slow.remove([file.named])).rejects.toThrow('too slow')

  expect([asked, await doomed.isThere(file)]).toEqual([['head'], true])
  await doomed.leasesEndedLongAgo()
  await doomed.aRemover().pass()
})
