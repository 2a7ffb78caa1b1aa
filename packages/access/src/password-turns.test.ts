import { expect, test, vi } from 'vitest'
import { createPasswordTurns } from './password-turns.ts'

// what fails here mostly never ends
vi.setConfig({ testTimeout: 5_000 })

/** Turns of computations that end one by one. */
function aStage(options: { atOnceMax: number; waitingMax: number }) {
  const running: (() => void)[] = []
  const started: string[] = []
  const { inTurn } = createPasswordTurns(options)
  const compute = (name: string) => () =>
    new Promise<string>((resolve) => {
      started.push(name)
      running.push(() => resolve(name))
    })
  const ask = (name: string) => {
    const [source] = name.split(' ')
    const asked = inTurn(source!, compute(name))
    asked.catch(() => {})
    return asked
  }
  /** The next one starts after the ended one has given up its turn. */
  const settle = () => new Promise(setImmediate)
  const endOne = async () => {
    await settle()
    running.shift()!()
    await settle()
  }
  const endAll = async () => {
    await settle()
    while (running.length > 0) await endOne()
  }
  return { ask, endOne, endAll, started }
}

test('when 100 requests of one source wait, a request of another source starts next', async () => {
  const { ask, endOne, started } = aStage({ atOnceMax: 2, waitingMax: 100 })
  for (let number = 1; number <= 100; number += 1) void ask(`a ${number}`)
  void ask('b 1')
  void ask('c 1')

  await endOne()
  await endOne()

  expect(started).toEqual(['a 1', 'a 2', 'b 1', 'c 1'])
})

test('sources with many requests take turns, each in the order of its requests', async () => {
  const { ask, endAll, started } = aStage({ atOnceMax: 1, waitingMax: 100 })
  for (const name of ['a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'b 3']) void ask(name)

  await endAll()

  expect(started).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'a 3', 'b 3'])
})

test('a source that asks again waits for the sources before it, but not for sources that ask later', async () => {
  const { ask, endOne, started } = aStage({ atOnceMax: 1, waitingMax: 100 })
  void ask('back 1')
  for (let number = 1; number <= 3; number += 1) void ask(`early${number} 1`)
  await endOne()
  void ask('back 2')
  for (let number = 1; number <= 5; number += 1) {
    void ask(`new${number} 1`)
    await endOne()
  }

  expect(started.slice(0, 5)).toEqual(['back 1', 'early1 1', 'early2 1', 'early3 1', 'back 2'])
})

test('a source that fills the waiting list loses one place to each other source', async () => {
  const { ask, endAll, started } = aStage({ atOnceMax: 1, waitingMax: 3 })
  const names = ['a 1', 'a 2', 'a 3', 'a 4', 'a 5', 'b 1', 'c 1', 'd 1']
  const answers = names.map((name) => ask(name).catch(({ kind }) => kind))

  await endAll()

  const outcomes = await Promise.all(answers)
  expect(outcomes).toEqual([
    'a 1',
    'a 2',
    ...['unavailable', 'unavailable', 'unavailable'],
    ...['b 1', 'c 1', 'unavailable'],
  ])
  expect(started).toHaveLength(4)

  const again = ['a 6', 'b 2', 'c 2', 'd 2']
  const later = again.map((name) => ask(name))
  await endAll()
  expect(await Promise.all(later)).toEqual(again)
})

test('a computation that fails frees its slot', async () => {
  const { inTurn } = createPasswordTurns({ atOnceMax: 1, waitingMax: 1 })

  await expect(inTurn('a', () => Promise.reject(new Error('no memory')))).rejects.toThrow()

  expect(await inTurn('a', async () => 'done')).toBe('done')
})
