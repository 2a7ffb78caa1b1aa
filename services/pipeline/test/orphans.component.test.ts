import type { ListedObject, ObjectStore } from '@despatch/object-store/object-store'
import { Registry } from '@despatch/telemetry/metrics'
import { shared } from '@despatch/testing/shared'
import { beforeEach, describe, expect, test } from 'vitest'
import { createOrphanWalk } from '../src/upkeep/orphans.ts'
import { someObjectsToDelete } from './some-objects-to-delete.ts'

const unused = await shared(someObjectsToDelete())
beforeEach(() =>
  unused.pool.query(
    'update orphan_walk set after = null, started_at = null, is_complete = true, lease_until = null',
  ),
)

type List = ObjectStore['listWithTimes']
type File = ReturnType<typeof unused.aFile>

const dayMs = 24 * 60 * 60 * 1000
const keysMax = 2
const keysOf = (files: readonly File[]) => files.map(({ key }) => key)

/** A bucket that contains only these objects, which were written now. Records the pages that it is asked for. */
function aBucket(keys: readonly string[]) {
  const pages: string[] = []
  const list: List = async (prefix, { keysMax, after = '' }) => {
    pages.push(`${prefix} ${after}`)
    const found = keys.toSorted().filter((key) => key.startsWith(prefix) && key > after)
    const changedAt = new Date()
    return found.slice(0, keysMax).map((key): ListedObject => ({ key, bytes: 1, changedAt }))
  }
  return { list, pages }
}

/** The walk of a separate process. Its clock is ahead, so that new objects are old. */
function aWalk(list: List, { aheadMs = dayMs + 60_000 } = {}) {
  const pass = createOrphanWalk({
    db: unused.db,
    objects: { listWithTimes: list },
    registry: new Registry(),
    keysMax,
    now: () => new Date(Date.now() + aheadMs),
  })
  const walk = async () => {
    while ((await pass()) === 'again');
  }
  return { pass, walk }
}

/** Files whose keys are in the same part of the bucket, in the order of their keys. */
function filesOfOnePart(count: number): File[] {
  const files: File[] = []
  while (files.length < count) {
    const file = unused.aFile()
    if (file.key.startsWith('files/7')) files.push(file)
  }
  return files.toSorted((one, other) => (one.key < other.key ? -1 : 1))
}

const markedOf = async (files: readonly File[]) => {
  const rows = await Promise.all(files.map(unused.rowOf))
  return rows.map((row) => row?.cause)
}
const leasesExpire = () =>
  unused.pool.query(`update orphan_walk set lease_until = now() - interval '1 second'
    where lease_until is not null`)

/** A list that waits in one call until it is opened. */
function gated(list: List, isGated: (prefix: string, after: string | undefined) => boolean) {
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const waiting: List = async (prefix, options) => {
    if (isGated(prefix, options.after)) {
      asked.resolve()
      await gate.promise
    }
    return list(prefix, options)
  }
  return { list: waiting, asked: asked.promise, open: gate.resolve }
}

test('finds unreferenced objects page by page once they are a day old', async () => {
  const named = unused.aFile()
  await unused.submit(named)
  const orphans = Array.from({ length: 20 }, () => unused.aFile())
  for (const file of orphans) await unused.put(file)
  const { list, pages } = aBucket(keysOf([named, ...orphans]))

  await aWalk(list, { aheadMs: dayMs - 60_000 }).walk()
  expect(await markedOf([named, ...orphans])).toEqual([named, ...orphans].map(() => undefined))
  await unused.pool.query(`update orphan_walk set started_at = now() - interval '25 hours'`)
  await aWalk(list).walk()

  expect(await markedOf([named, ...orphans])).toEqual([undefined, ...orphans.map(() => 'orphaned')])
  await unused.aRemover().pass()
  expect(await Promise.all([named, ...orphans].map(unused.isThere))).toEqual([
    true,
    ...orphans.map(() => false),
  ])
  // each page of both walks, once
  expect(pages.length).toBeGreaterThanOrEqual(2 * 32)
  expect(pages.length).toBe(2 * new Set(pages).size)
})

test('starts the walk of a part at most once a day', async () => {
  const { list, pages } = aBucket([])
  await aWalk(list).walk()
  expect(pages.length).toBe(32)

  await unused.pool.query(`update orphan_walk set started_at = now() - interval '23 hours'`)
  await aWalk(list).walk()

  expect(pages.length).toBe(32)
})

test('leaves objects that are older than the database', async () => {
  const file = unused.aFile()
  await unused.put(file)
  const { rows } = await unused.pool.query(`select name, applied_at as at from migration`)
  await unused.pool.query(`update migration set applied_at = now() + interval '1 minute'`)

  await aWalk(aBucket([file.key]).list, { aheadMs: 3 * dayMs }).walk()

  for (const { name, at } of rows) {
    await unused.pool.query('update migration set applied_at = $2 where name = $1', [name, at])
  }
  expect([await unused.isThere(file), await unused.rowOf(file)]).toEqual([true, undefined])
})

test('leaves objects with other keys than files and documents', async () => {
  const { sha256 } = unused.aFile()

  await aWalk(aBucket([`files/${sha256}.pdf`, `documents/${sha256}`, 'documents/a']).list).walk()

  const { rows } = await unused.pool.query(
    `select from doomed_object where sha256 = decode($1, 'hex')`,
    [sha256],
  )
  expect(rows).toEqual([])
})

describe('processes that share the walk', () => {
  test('examine different pages, each only once', async () => {
    const files = [...filesOfOnePart(5), ...Array.from({ length: 30 }, () => unused.aFile())]
    const { list, pages } = aBucket(keysOf(files))
    const slow = gated(list, (prefix) => prefix === 'files/7')
    const first = aWalk(slow.list).walk()
    await slow.asked

    await aWalk(list).walk()
    const partsOf = (asked: readonly string[]) => new Set(asked.map((page) => page.split(' ')[0]))
    expect(partsOf(pages).size).toBe(31)
    slow.open()
    await first

    expect(partsOf(pages).size).toBe(32)
    expect(new Set(pages).size).toBe(pages.length)
    expect(await markedOf(files)).toEqual(files.map(() => 'orphaned'))
  })

  test('examine a page again when its process died and the lease has ended, but not earlier pages', async () => {
    const files = filesOfOnePart(6)
    const { list, pages } = aBucket(keysOf(files))
    const dying = aWalk(async (prefix, options) => {
      if (options.after === files[1]!.key) throw new Error('The process died')
      return list(prefix, options)
    })
    await expect(dying.walk()).rejects.toThrow('The process died')

    await aWalk(list).walk()
    expect(await markedOf(files.slice(2))).toEqual(files.slice(2).map(() => undefined))
    await leasesExpire()
    await aWalk(list).walk()

    expect(await markedOf(files)).toEqual(files.map(() => 'orphaned'))
    expect(pages.filter((page) => page === 'files/7 ')).toHaveLength(1)
  })

  test('do not move the walk back when one has lost its page', async () => {
    const files = filesOfOnePart(6)
    const { list, pages } = aBucket(keysOf(files))
    const frozen = gated(list, (prefix, after) => prefix === 'files/7' && after === undefined)
    const first = aWalk(frozen.list).walk()
    await frozen.asked

    await leasesExpire()
    await aWalk(list).walk()
    const before = await unused.pool.query('select * from orphan_walk order by prefix')
    frozen.open()
    await first

    const after = await unused.pool.query('select * from orphan_walk order by prefix')
    expect(after.rows).toEqual(before.rows)
    // the page that was taken over, and no other page of this part
    expect(pages.filter((page) => page.startsWith('files/7')).toSorted()).toEqual([
      'files/7 ',
      'files/7 ',
      ...[1, 3, 5].map((index) => `files/7 ${files[index]!.key}`),
    ])
  })
})

test('a page ends soon once its process closes', async () => {
  const closing = new AbortController()
  const { pass } = aWalk(
    (_prefix, { signal }) =>
      new Promise((_, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason))
        closing.abort()
      }),
  )

  await expect(pass(closing.signal)).rejects.toMatchObject({ name: 'AbortError' })
})

const passesMax = 50

test('concurrent walks and removals keep exactly the objects that letters reference', async () => {
  const files = Array.from({ length: 12 }, (_, index) => ({
    file: unused.aFile(),
    isKept: index % 2 > 0,
  }))
  const { list } = aBucket(keysOf(files.map(({ file }) => file)))
  let isOver = false
  const work = async () => {
    const [walk, remover] = [aWalk(list), unused.aRemover()]
    // a file that is marked without end could not be named
    for (let pass = 1; pass <= passesMax && !isOver; pass++) {
      await unused.pool.query('update orphan_walk set started_at = null where is_complete')
      await walk.walk()
      await remover.pass()
    }
  }
  const processes = [work(), work()]

  try {
    await Promise.all(
      files.map(async ({ file, isKept }) => {
        for (let life = 1; life <= 2; life++)
          await unused.purge(await unused.submitAgain(file), file)
        if (isKept) await unused.submitAgain(file)
      }),
    )
  } finally {
    isOver = true
    await Promise.all(processes)
  }
  while ((await unused.aRemover().pass()) === 'again');

  expect(await Promise.all(files.map(({ file }) => unused.isThere(file)))).toEqual(
    files.map(({ isKept }) => isKept),
  )
})
