import type { ObjectStore } from '@despatch/object-store/object-store'
import { openDatabase } from '@despatch/store/database'
import { purgeRows } from '@despatch/store/print-job/purge-rows'
import { shared } from '@despatch/testing/shared'
import { beforeEach, describe, expect, test } from 'vitest'
import { daysAgo, type Ended, endedPrintJobs } from './ended-print-jobs.ts'

const ended = await shared(endedPrintJobs())
// Nothing of one test may be due in the next.
beforeEach(() => ended.pool.query('update print_job set purged_at = now() where purged_at is null'))

type Jobs = readonly { key: string }[]
const arePurged = (jobs: Jobs) => Promise.all(jobs.map(({ key }) => ended.isPurged(key)))
const notesOf = async (jobs: Jobs) => {
  const { rows } = await ended.pool.query(
    `select count(*)::integer as notes from print_job_event where transition = 'purge' and print_job_key = any ($1)`,
    [jobs.map(({ key }) => key)],
  )
  return rows[0].notes
}

describe('with 90 days of the deployment, a print job is purged', () => {
  test.for<[name: string, ended: Ended, isPurged: boolean]>([
    ['despatched 91 days ago', { daysAgo: 91 }, true],
    ['despatched 89 days ago', { daysAgo: 89 }, false],
    ['rejected 91 days ago', { status: 'REJECTED', daysAgo: 91 }, true],
    ['rejected 89 days ago', { status: 'REJECTED', daysAgo: 89 }, false],
    ['deleted 91 days ago', { status: 'PENDING', isDeleted: true, daysAgo: 91 }, true],
    ['deleted 89 days ago', { status: 'PENDING', isDeleted: true, daysAgo: 89 }, false],
    ['pending for 91 days', { status: 'PENDING', daysAgo: 91 }, false],
    ['in production for 91 days', { status: 'PRODUCTION', daysAgo: 91 }, false],
    ['with a callback that is due', { callback: 'DUE' }, false],
    ['with a callback that waits for its turn', { callback: 'WAITING' }, false],
    ['with a callback that was delivered', { callback: 'DELIVERED' }, true],
    ['with a callback that is dead', { callback: 'DEAD' }, true],
    ['whose print run is in production', { runState: 'IN_PRODUCTION' }, false],
    ['whose print run is posted', { runState: 'POSTED' }, false],
    ['whose print run is closed', { runState: 'CLOSED' }, true],
    [
      'of which all was refused',
      { status: 'REJECTED', runState: 'REFUSED', outcome: 'REFUSED' },
      true,
    ],
    [
      'recalled before anybody acknowledged',
      { status: 'REJECTED', runState: 'CLAIMED', outcome: 'RECALLED' },
      true,
    ],
    ['in a claimed run, without an outcome', { status: 'REJECTED', runState: 'CLAIMED' }, false],
    [
      'recalled, of a run in production',
      { status: 'REJECTED', runState: 'IN_PRODUCTION', outcome: 'RECALLED' },
      false,
    ],
    ['whose print run is void', { runState: 'VOIDED' }, true],
  ])('%s: %s', async ([, given, isPurged]) => {
    const { key, keys } = await ended.anEnded(given)

    await ended.aPurge().walk()

    expect(await ended.isPurged(key)).toBe(isPurged)
    expect(await ended.objectsLeft(keys)).toEqual(isPurged ? [] : ['uploads', 'files', 'documents'])
  })

  test('the days of a contract override those of the deployment, whether fewer or more', async () => {
    const [short, long] = [await ended.aContract(30), await ended.aContract(365)]
    const jobs = await Promise.all([
      ended.anEnded({ contractId: short, daysAgo: 31 }),
      ended.anEnded({ contractId: short, daysAgo: 29 }),
      ended.anEnded({ contractId: long, daysAgo: 91 }),
      ended.anEnded({ contractId: long, daysAgo: 366 }),
    ])

    await ended.aPurge().walk()

    expect(await arePurged(jobs)).toEqual([true, false, false, true])
  })
})

describe('objects that two print jobs share', () => {
  test('stay until the last of the print jobs is purged', async () => {
    const content = 'the same leaflet'
    const first = await ended.anEnded({ content })
    const second = await ended.anEnded({ content, daysAgo: 1 })

    await ended.aPurge().walk()
    expect(await ended.isPurged(first.key)).toBe(true)
    expect(await ended.objectsLeft(first.keys)).toEqual(['files', 'documents'])

    await ended.pool.query('update print_job set despatched_at = $2 where key = $1', [
      second.key,
      daysAgo(91),
    ])
    await ended.aPurge().walk()
    expect(await ended.objectsLeft([...first.keys, ...second.keys])).toEqual([])
  })

  test('are removed when both are purged at once', async () => {
    const content = 'the same leaflet twice'
    const { keys } = await ended.anEnded({ content })
    await ended.anEnded({ content })

    await ended.aPurge().walk()

    expect(await ended.objectsLeft(keys)).toEqual([])
  })

  test('bytes stored within the last hour are removed later, because another database may use the bucket', async () => {
    const { key, keys } = await ended.anEnded()

    await ended.aPurge({ now: () => new Date() }).walk()
    expect(await ended.isPurged(key)).toBe(true)
    expect(await ended.objectsLeft(keys)).toEqual(['files', 'documents'])

    await ended.leasesEnd()
    await ended.aPurge().remover.pass()
    expect(await ended.objectsLeft(keys)).toEqual([])
  })
})

describe('a purge that is interrupted', () => {
  const failingAfter = (callsBefore: number) => {
    let calls = 0
    const removeTogether: ObjectStore['removeTogether'] = async (keys) => {
      calls += 1
      if (calls > callsBefore) throw new Error('The object store is away')
      return ended.objects.removeTogether(keys)
    }
    return { removeTogether }
  }

  test.for<[name: string, purge: () => Promise<unknown>, left: string[]]>([
    [
      'before anything is removed',
      () => ended.aPurge({ objects: failingAfter(0) }).walk(),
      ['uploads', 'files', 'documents'],
    ],
    [
      'when some objects are removed',
      () => ended.aPurge({ objects: failingAfter(1) }).walk(),
      ['files', 'documents'],
    ],
  ])('%s is gone through again when its lease has ended', async ([, purge, left]) => {
    const { key, keys } = await ended.anEnded()

    await expect(purge()).rejects.toThrow('The object store is away')
    expect([...(await ended.objectsLeft(keys))].toSorted()).toEqual(left.toSorted())
    expect(await ended.read(key)).toMatchObject({ purged_at: null, callback_params: {} })

    const early = ended.aPurge({ leaseSeconds: 600 })
    await early.walk()
    expect(await ended.isPurged(key)).toBe(false)
    expect(await early.metric('print_jobs_purge_overdue')).toBe(1)

    await ended.leasesEnd()
    const late = ended.aPurge({ now: () => new Date(Date.now() + 120 * 60 * 1000) })
    await late.walk()
    expect(await ended.isPurged(key)).toBe(true)
    expect(await ended.objectsLeft(keys)).toEqual([])
    expect(await late.metric('print_jobs_purge_overdue')).toBe(0)
    expect(await late.metric('print_jobs_purged_total')).toBe(1)
    expect(await late.metric('objects_removed_total')).toBe(2)
  })

  test('between the objects and the rows is repeated, and purges the rows once', async () => {
    const { key, keys } = await ended.anEnded()
    await ended.pool.query(`update print_job set purge_began_at = '2020-01-01' where key = $1`, [
      key,
    ])
    for (const objectKey of keys) await ended.objects.remove(objectKey)

    await ended.aPurge().walk()
    expect(await purgeRows(ended.db, [key], { now: new Date() })).toEqual([])

    const { rows } = await ended.pool.query(
      'select sequence, transition, actor from print_job_event where print_job_key = $1 order by sequence',
      [key],
    )
    expect(rows).toEqual([
      { sequence: 1, transition: 'submit', actor: 'consumer' },
      { sequence: 2, transition: 'purge', actor: 'pipeline' },
    ])
  })

  test('within the rows leaves all rows unchanged, and is repeated', async () => {
    const { key } = await ended.anEnded({ callback: 'DELIVERED' })
    const bodyOf = async () => {
      const { rows } = await ended.pool.query(
        `select convert_from(body, 'UTF8') as body from callback where print_job_key = $1`,
        [key],
      )
      return rows[0].body
    }
    await ended.pool.query(`
      create function break_off() returns trigger language plpgsql as $$ begin raise exception 'broken off'; end $$;
      create trigger break_off before delete on print_job_file for each statement execute function break_off()`)

    await expect(ended.aPurge().walk()).rejects.toThrow('broken off')
    await ended.pool.query('drop trigger break_off on print_job_file')
    expect([await ended.isPurged(key), await bodyOf()]).toEqual([false, '{"data":{}}'])

    await ended.aPurge({ now: () => new Date(Date.now() + 120 * 60 * 1000) }).walk()
    expect([await ended.isPurged(key), await bodyOf()]).toEqual([true, '{"purged":true}'])
  })

  test('waits for a callback that was created in the meantime', async () => {
    const { key } = await ended.anEnded({ callback: 'DELIVERED' })
    await ended.pool.query(`update print_job set purge_began_at = '2020-01-01' where key = $1`, [
      key,
    ])
    await ended.pool.query(
      `update callback set state = 'DUE', due_at = now(), ended_at = null where print_job_key = $1`,
      [key],
    )

    expect(await purgeRows(ended.db, [key], { now: new Date() })).toEqual([])
    expect(await ended.read(key)).toMatchObject({ purged_at: null, callback_params: {} })
  })
})

test('of a refusal remains the text of its rules, and nothing about the address', async () => {
  const { key } = await ended.anEnded({ status: 'REJECTED' })
  const detail = 'File of a person is empty. line1 says that there is no address.'
  await ended.pool.query('update print_job set comment = $2, event_sequence = 2 where key = $1', [
    key,
    detail,
  ])
  await ended.pool.query(
    `insert into print_job_event (print_job_key, sequence, transition, status, actor, reason, findings)
     values ($1, 2, 'reject', 'REJECTED', 'pipeline', $2, $3)`,
    [
      key,
      detail,
      JSON.stringify(
        ['file-empty', 'address-no-abode'].map((rule) => ({ rule, severity: 'refusal', detail })),
      ),
    ],
  )

  await ended.aPurge().walk()

  const { rows } = await ended.pool.query(
    'select transition, reason, findings from print_job_event where print_job_key = $1 order by sequence',
    [key],
  )
  const reason = 'A file is not empty.'
  expect(await ended.read(key)).toMatchObject({ status: 'REJECTED', comment: reason })
  expect(rows).toEqual([
    { transition: 'submit', reason: null, findings: null },
    {
      transition: 'reject',
      reason,
      findings: [{ rule: 'file-empty', severity: 'refusal', detail: reason }],
    },
    { transition: 'purge', reason: null, findings: null },
  ])
})

test('a test message loses its destination and responses after the days of the deployment', async () => {
  const ids = await ended.someTestCallbacks([91, 89])

  await ended.aPurge().walk()

  const { rows } = await ended.pool.query(
    `select id, convert_from(body, 'UTF8') as body, destination_sealed is null as "isSealedGone", answer is null as "isAnswerGone"
     from callback join callback_attempt on callback_id = id where id = any ($1) order by ended_at`,
    [ids],
  )
  expect(rows).toEqual([
    { id: ids[0], body: '{"purged":true}', isSealedGone: true, isAnswerGone: true },
    { id: ids[1], body: '{"data":{}}', isSealedGone: false, isAnswerGone: false },
  ])
})

test('several processes purge every print job exactly once', async () => {
  const jobs = await Promise.all(Array.from({ length: 40 }, () => ended.anEnded()))
  const others = [1, 2].map(() => openDatabase(ended.url, { name: 'other', connectionsMax: 2 }))
  const purges = others.map(({ db }) => ended.aPurge({ db, jobsMax: 7 }))

  await Promise.all(purges.map(({ walk }) => walk()))

  expect(await arePurged(jobs)).toEqual(jobs.map(() => true))
  expect(await notesOf(jobs)).toBe(40)
  await Promise.all(others.map(({ close }) => close()))
})

describe('while one process removes the objects of its page', () => {
  /** A process that waits before it deletes, until it is opened. */
  function aPausedPurge() {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const removeTogether: ObjectStore['removeTogether'] = async (keys) => {
      asked.resolve()
      await gate.promise
      return ended.objects.removeTogether(keys)
    }
    const walking = ended.aPurge({ objects: { removeTogether } }).walk()
    return { walking, asked: asked.promise, open: gate.resolve }
  }

  test('another process purges other print jobs, and counts none as overdue', async () => {
    const first = await Promise.all([ended.anEnded(), ended.anEnded()])
    const paused = aPausedPurge()
    await paused.asked
    const second = await Promise.all([ended.anEnded(), ended.anEnded()])
    // its walk started before the page was taken
    const other = ended.aPurge({ now: () => new Date(Date.now() + 80 * 60 * 1000) })

    await other.walk()
    expect(await arePurged(second)).toEqual([true, true])
    expect(await arePurged(first)).toEqual([false, false])
    expect(await other.metric('print_jobs_purge_overdue')).toBe(0)
    paused.open()
    await paused.walking

    expect(await notesOf([...first, ...second])).toBe(4)
  })

  test('its letters are purged once even if it loses the lease', async () => {
    const jobs = await Promise.all([ended.anEnded(), ended.anEnded()])
    const paused = aPausedPurge()
    await paused.asked

    await ended.aPurge({ leaseSeconds: -1 }).walk()
    expect(await arePurged(jobs)).toEqual([true, true])
    paused.open()
    await paused.walking

    expect(await notesOf(jobs)).toBe(2)
    expect(await ended.objectsLeft(jobs.flatMap(({ keys }) => keys))).toEqual([])
  })
})

test('a purge ends soon once its process closes, and another process completes it', async () => {
  const { key, keys } = await ended.anEnded()
  const closing = new AbortController()
  const head: ObjectStore['head'] = async (_key, { signal } = {}) => {
    closing.abort()
    signal!.throwIfAborted()
    return undefined
  }
  const stopping = ended.aPurge({}, { head })

  await expect(stopping.walk(closing.signal)).rejects.toMatchObject({ name: 'AbortError' })
  expect(await ended.objectsLeft(keys)).toEqual(['files', 'documents'])
  await ended.aPurge({ leaseSeconds: -1 }).walk()

  expect(await ended.isPurged(key)).toBe(true)
  expect(await ended.objectsLeft(keys)).toEqual([])
})

test('print jobs that must wait do not delay those that ended later', async () => {
  await Promise.all(Array.from({ length: 6 }, () => ended.anEnded({ callback: 'DUE' })))
  const { key } = await ended.anEnded({ daysAgo: 95 })
  const purge = ended.aPurge({ jobsMax: 5 })

  await purge.walk()

  expect(await ended.isPurged(key)).toBe(true)
  expect(await purge.metric('print_jobs_purge_overdue')).toBe(6)
})
