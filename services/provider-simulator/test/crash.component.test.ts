import { eventually } from '@despatch/testing/eventually'
import { expect, test } from 'vitest'
import { crashPoints } from '../src/floor/crash-points.ts'
import { aFactory } from './a-factory.ts'

const letters = { D1: 'first', D2: 'second', D3: 'third' }

const dies = (crashes: readonly unknown[], times = 1) =>
  eventually(() => crashes.length === times, { message: `it has stopped ${times} times` })

test.each(crashPoints)('stopped %s, it continues and prints nothing twice', async (point) => {
  const { gateway, start, stop, crashes, becomes, printed } = await aFactory()
  const run = gateway.release('R1', letters)
  gateway.outcomes.set('D2', { outcome: 'spoil', reasonCode: 'SMUDGED', reason: 'Smudged' })
  const settings = {
    DESPATCH_SIMULATOR_OUTCOMES_URL: `${gateway.url}/uat/print-outcomes`,
    floor: { crashAt: [point] },
  }

  await start(settings)
  await dies(crashes)
  await stop()
  expect(run.state).not.toBe('CLOSED')
  await start(settings)
  await becomes('R1', 'CLOSED')

  expect(crashes).toEqual([point])
  expect(await printed()).toEqual(['D1 1', 'D2 1', 'D2 2', 'D3 1'])
  expect(new Set(run.claimKeys).size).toBe(1)
  expect(new Set(run.postingKeys).size).toBe(1)
  expect(run.posted).toEqual([['D1', 'D2', 'D3']])
  expect(new Set(run.eventResults)).not.toContain('REFUSED')
})

test('killed at each point in turn, it still finishes', async () => {
  const { gateway, start, stop, crashes, becomes, printed } = await aFactory()
  const run = gateway.release('R1', letters)
  const settings = { floor: { crashAt: [...crashPoints], spoilRate: 1 } }

  for (let stops = 1; stops <= crashPoints.length; stops++) {
    await start(settings)
    await dies(crashes, stops)
    await stop()
  }
  await start(settings)
  await becomes('R1', 'CLOSED')

  expect(crashes).toEqual(crashPoints)
  const attempts = [1, 2, 3, 4]
  expect(await printed()).toEqual(
    Object.keys(letters).flatMap((id) => attempts.map((attempt) => `${id} ${attempt}`)),
  )
  expect([...run.standings.values()].map(({ outcome }) => outcome)).toEqual(
    Array(3).fill('DESPATCHED'),
  )
})

test('a run that was claimed for another time is claimed under another key', async () => {
  const { gateway, start, stop, crashes, becomes, printed } = await aFactory()
  const run = gateway.release('R1', letters)
  await start({ floor: { crashAt: ['after-claim'] } })
  await dies(crashes)
  await stop()

  await start({ floor: { leaseSeconds: 600 } })
  await becomes('R1', 'CLOSED')

  expect(new Set(run.claimKeys).size).toBe(2)
  expect(await printed()).toEqual(['D1 1', 'D2 1', 'D3 1'])
})

test('after a stop while it waits to post, it posts once', async () => {
  const { gateway, start, stop, happened, becomes, printed } = await aFactory()
  const run = gateway.release('R1', letters)
  gateway.faults.push({ path: '/postings', status: 503, left: 1 })
  await start({ floor: { printTimeMs: 600_000 } })
  await happened('printed')
  await becomes('R1', 'IN_PRODUCTION')
  await stop()

  await start()
  await becomes('R1', 'CLOSED')

  expect(await printed()).toEqual(['D1 1', 'D2 1', 'D3 1'])
  expect(run.postingKeys).toHaveLength(2)
  expect(new Set(run.postingKeys).size).toBe(1)
})

test('with lost responses, every run still ends and nothing is printed twice', async () => {
  const { gateway, start, becomes, printed } = await aFactory()
  const runs = ['R1', 'R2', 'R3'].map((name) =>
    gateway.release(name, { [`${name}-1`]: 'one', [`${name}-2`]: 'two' }),
  )

  await start({ floor: { lostReplyRate: 0.3, spoilRate: 0.5 } })
  await Promise.all(runs.map(({ manifest }) => becomes(manifest.batchNumber, 'CLOSED')))

  const copies = await printed()
  expect(new Set(copies).size).toBe(copies.length)
  expect(runs.map(({ posted }) => posted.flat().length)).toEqual([2, 2, 2])
  expect(runs.map(({ claimKeys }) => new Set(claimKeys).size)).toEqual([1, 1, 1])
})

test('shuffled and repeated events lead to the same result', async () => {
  const { gateway, start, becomes } = await aFactory()
  const run = gateway.release('R1', letters)

  await start({ floor: { eventShuffle: true, eventDuplicateRate: 1, eventsPerCall: 2 } })
  await becomes('R1', 'CLOSED')

  const ids = run.told.map(({ eventId }) => eventId)
  expect(ids).toHaveLength(18)
  expect(new Set(ids).size).toBe(9)
  expect(Math.max(...run.eventCalls)).toBe(2)
  const happened = run.told.toSorted((one, other) => (one.occurredAt < other.occurredAt ? -1 : 1))
  expect(ids).not.toEqual(happened.map(({ eventId }) => eventId))
  expect([...run.standings.values()].map(({ progress }) => progress)).toEqual(
    Array(3).fill('ENCLOSED'),
  )
})
