import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createGroupCommit } from './group-commit.ts'

// what fails here mostly never ends
vi.setConfig({ testTimeout: 5_000 })

const someTurns = async () => {
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}

const uniqueViolation = Object.assign(new Error('13 cannot be committed'), { code: '23505' })

function recordingCommit(failure: Error = uniqueViolation) {
  const groups: number[][] = []
  const commit = async (items: readonly number[]) => {
    groups.push([...items])
    await new Promise((resolve) => setImmediate(resolve))
    if (items.includes(13)) throw failure
    return items.map((item) => item * 10)
  }
  return { groups, commit }
}

test('items that arrive together share a commit', async () => {
  const { groups, commit } = recordingCommit()
  const save = createGroupCommit({ commit, itemsMax: 100, commitsMax: 2 })

  const results = await Promise.all([1, 2, 3, 4].map(save))

  expect(results).toEqual([10, 20, 30, 40])
  expect(groups).toEqual([[1, 2, 3, 4]])
})

test('items that arrive during a commit share the next commit', async () => {
  const groups: number[][] = []
  const begun = Promise.withResolvers<void>()
  const allowed = Promise.withResolvers<void>()
  const save = createGroupCommit<number, number>({
    commit: async (items) => {
      groups.push([...items])
      begun.resolve()
      await allowed.promise
      return items
    },
    itemsMax: 100,
    commitsMax: 1,
  })

  const first = save(1)
  await begun.promise
  const others = [2, 3, 4].map(save)
  await someTurns()
  expect(groups).toEqual([[1]])
  allowed.resolve()
  await Promise.all([first, ...others])

  expect(groups).toEqual([[1], [2, 3, 4]])
})

test('keeps a group within its limit', async () => {
  const { groups, commit } = recordingCommit()
  const save = createGroupCommit({ commit, itemsMax: 2, commitsMax: 1 })

  await Promise.all([1, 2, 3, 4, 5].map(save))

  expect(groups).toEqual([[1, 2], [3, 4], [5]])
})

test('an item that fails does not fail the other items of its group', async () => {
  const { commit } = recordingCommit()
  const save = createGroupCommit({ commit, itemsMax: 100, commitsMax: 1 })

  const results = await Promise.allSettled([1, 2, 13, 4].map(save))

  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
})

test.each([
  ['a deadlock', '40P01'],
  ['a conflict', '40001'],
  ['a value that a row cannot have', '22001'],
  ['a constraint', '23505'],
  ['a rule of ours', 'DS001'],
])('a group that fails by %s is committed one by one', async (_what, code) => {
  const groups: number[][] = []
  const deadlock = Object.assign(new Error('one of them'), { code })
  const save = createGroupCommit<number, number>({
    commit: async (items) => {
      groups.push([...items])
      if (items.length > 1) throw deadlock
      return items
    },
    itemsMax: 100,
    commitsMax: 1,
  })

  expect(await Promise.all([1, 2, 3].map(save))).toEqual([1, 2, 3])
  expect(groups).toEqual([[1, 2, 3], [1], [2], [3]])
})

test.each([
  ['a lost connection', new Error('Connection terminated unexpectedly')],
  ['a database that shuts down', Object.assign(new Error('bye'), { code: '57P01' })],
  ['a defect', new TypeError('x is not a function')],
])('%s fails all items of the group after one attempt', async (_what, failure) => {
  const { groups, commit } = recordingCommit(failure)
  const save = createGroupCommit({ commit, itemsMax: 100, commitsMax: 1 })

  const results = await Promise.allSettled([1, 13, 4].map(save))

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(groups).toEqual([[1, 13, 4]])
})

test('starts again after a pause', async () => {
  const { groups, commit } = recordingCommit()
  const save = createGroupCommit({ commit, itemsMax: 100, commitsMax: 1 })

  await save(1)
  await someTurns()
  await save(2)

  expect(groups).toEqual([[1], [2]])
})
