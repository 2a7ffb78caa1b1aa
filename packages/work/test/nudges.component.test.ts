import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { listenForNudges, nudge } from '../src/nudges.ts'

const { db, pool, url } = await shared(aDatabase())

/** A process that listens. It has heard once that it may have missed nudges. */
async function aListener(name: string, kind = 'errand') {
  const seen = { heard: 0, errors: 0 }
  const listener = listenForNudges({
    url,
    name,
    kind,
    onNudge: () => {
      seen.heard += 1
    },
    onError: () => {
      seen.errors += 1
    },
  })
  onTestFinished(() => listener.close())
  await eventually(() => seen.heard === 1, { message: 'it listens' })
  return seen
}

test('every process that listens hears a nudge', async () => {
  const listeners = await Promise.all(['one', 'other'].map((name) => aListener(name)))

  nudge(db, 'errand')

  for (const seen of listeners) {
    await eventually(() => seen.heard === 2, { message: 'the nudge is heard' })
  }
})

test('many nudges at once are two: the first at once, and one for all others', async () => {
  const seen = await aListener('many')
  const last = await aListener('last', 'last')

  for (let time = 0; time < 1_000; time += 1) nudge(db, 'errand')
  await eventually(() => seen.heard === 3, { message: 'both are heard' })
  nudge(db, 'last')
  await eventually(() => last.heard === 2, { message: 'a later one, of another kind, is heard' })

  expect(seen.heard).toBe(3)
})

test('a listener whose connection breaks listens again, and knows that it may have missed some', async () => {
  const seen = await aListener('broken')

  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'broken'`,
  )

  await eventually(() => seen.heard === 2, { message: 'it listens again' })
  expect(seen.errors).toBeGreaterThan(0)
})

test('while nudges arrive, the next look for work may come after a second', async () => {
  const listener = listenForNudges({
    url,
    name: 'one that pauses',
    kind: 'errand',
    onNudge: () => {},
    onError: () => {},
  })
  onTestFinished(() => listener.close())

  expect(listener.pauseMs(250)).toBe(250)
  await eventually(() => listener.pauseMs(250) === 1_000, { message: 'it hears itself' })
  expect(listener.pauseMs(60_000)).toBe(60_000)

  await pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'one that pauses'",
  )
  await eventually(() => listener.pauseMs(250) === 250, { message: 'it notices' })
  await eventually(() => listener.pauseMs(250) === 1_000, { message: 'it hears itself again' })
})
