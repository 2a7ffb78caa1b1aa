import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { createNudge, listenForNudges } from '../src/nudges.ts'

const { db, pool, url } = await shared(aDatabase())

/** A process that listens. It has heard once that it may have missed nudges. */
async function aListener(name: string) {
  const heard: (string | undefined)[] = []
  const errors: Error[] = []
  const listener = listenForNudges({
    url,
    name,
    onNudge: (kind) => void heard.push(kind),
    onError: (error) => void errors.push(error),
  })
  onTestFinished(() => listener.close())
  await eventually(() => heard.length === 1, { message: 'it listens' })
  return { heard, errors }
}

test('every process that listens hears a nudge', async () => {
  const listeners = await Promise.all(['one', 'other'].map(aListener))

  createNudge(db, { name: 'errand' })()

  for (const { heard } of listeners) {
    await eventually(() => heard.length === 2, { message: 'the nudge is heard' })
    expect(heard).toEqual([undefined, 'errand'])
  }
})

test('many nudges at once are two: the first at once, and one for all others', async () => {
  const { heard } = await aListener('many')
  const nudge = createNudge(db, { name: 'errand' })

  for (let time = 0; time < 1_000; time += 1) nudge()
  await eventually(() => heard.length === 3, { message: 'both are heard' })
  createNudge(db, { name: 'last' })()
  await eventually(() => heard.includes('last'), { message: 'a later one is heard' })

  expect(heard).toEqual([undefined, 'errand', 'errand', 'last'])
})

test('a listener whose connection breaks listens again, and knows that it may have missed some', async () => {
  const { heard, errors } = await aListener('broken')

  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'broken'`,
  )

  await eventually(() => heard.length === 2, { message: 'it listens again' })
  expect(heard).toEqual([undefined, undefined])
  expect(errors.length).toBeGreaterThan(0)
})
