import { expect, test } from 'vitest'
import { type CallLimits, chooseCallbacks, type DueCallback } from './choose.ts'

const now = new Date('2026-03-02T10:00:00.000Z')
const limits: CallLimits = {
  callsPerOriginMax: 1,
  lastCallsFactor: 2,
  callsPerSecondMax: 100,
  probeSeconds: 20,
  reservedCalls: 0,
  turnLength: 3,
}

/** A first attempt that has just become due. The id begins with its consumer, and names its origin. */
function due(id: string, given: Partial<DueCallback> = {}): DueCallback {
  const [consumerId, name] = id.split(' ') as [string, string]
  return {
    id,
    consumerId,
    origin: `https://${name}.example`,
    orderingKey: id,
    sequence: 1,
    dueAt: now,
    owedSince: now,
    isFirst: true,
    windowEndsAt: null,
    isUnderWay: false,
    mayWaitInTurn: true,
    callsMax: 8,
    ...given,
  }
}

function choose(callbacks: DueCallback[], free = 100, underWay = new Map<string, number>()) {
  const given = { origins: new Map(), calls: new Map(), now, free, underWay, limits }
  return chooseCallbacks({ due: callbacks, ...given })
}

test.for<[free: number, taken: string[]]>([
  [1, ['one a']],
  [2, ['one a', 'two c']],
  [3, ['one a', 'two c', 'one b']],
])('with %i free calls, consumers take turns, and each calls one origin', ([free, taken]) => {
  expect(choose([due('one a'), due('one b'), due('two c')], free).taken).toEqual(taken)
})

test('a callback that may not wait for its turn is called at once or not chosen', () => {
  const origin = 'https://a.example'
  const impatient = due('one b', { origin, mayWaitInTurn: false })

  expect(choose([impatient, due('one c', { origin })]).turns).toEqual([
    { origin, callbacks: ['one b', 'one c'], atOnce: 1 },
  ])
  expect(choose([due('one c', { origin }), impatient]).turns).toEqual([
    { origin, callbacks: ['one c'], atOnce: 1 },
  ])
})

test('the consumer with the fewest calls under way is called first, then the one that waits longest', () => {
  const origin = 'https://a.example'
  const callbacks = ['one 1', 'two 1', 'two 2', 'three 1'].map((id) => due(id, { origin }))
  const underWay = new Map([
    ['one', 2],
    ['two', 1],
  ])

  expect(choose(callbacks, 100, underWay).turns).toEqual([
    { origin, callbacks: ['three 1', 'two 1', 'one 1'], atOnce: 1 },
  ])
})
