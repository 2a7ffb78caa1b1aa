import { describe, expect, test } from 'vitest'
import { callsUnderWay } from '../../test/simulated-delivery.ts'
import { initialHealth } from './breaker.ts'
import {
  type CallLimits,
  type Choice,
  chooseCallbacks,
  type DueCallback,
  type KnownOrigin,
} from './choose.ts'
import type { OriginHealth } from './origin-health.ts'

const now = new Date('2026-03-02T10:00:00.000Z')
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)

const limits: CallLimits = {
  callsPerOriginMax: 2,
  lastCallsFactor: 2,
  callsPerSecondMax: 100,
  probeSeconds: 20,
  reservedCalls: 0,
  turnLength: 1,
}
const a = 'https://a.example'
const b = 'https://b.example'

/** A first attempt that has just become due, with its own ordering key. */
const due = (id: string, given: Partial<DueCallback> = {}): DueCallback => ({
  id,
  consumerId: `consumer of ${id}`,
  origin: a,
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
})
const middle = (id: string, given: Partial<DueCallback> = {}) =>
  due(id, { isFirst: false, owedSince: after(-60), windowEndsAt: after(600), ...given })
const last = (id: string, given: Partial<DueCallback> = {}) =>
  due(id, { isFirst: false, owedSince: after(-60), windowEndsAt: now, ...given })
const underWay = (id: string, given: Partial<DueCallback> = {}) =>
  due(id, { dueAt: after(-1), isUnderWay: true, ...given })

type Situation = Partial<Parameters<typeof chooseCallbacks>[0]>
const chooseTurns = (callbacks: DueCallback[], given: Situation = {}): Choice =>
  chooseCallbacks({
    due: callbacks,
    origins: new Map(),
    calls: callsUnderWay(callbacks),
    now,
    free: 100,
    underWay: new Map(),
    limits,
    ...given,
  })
const choose = (callbacks: DueCallback[], given: Situation = {}): Omit<Choice, 'turns'> => {
  const { taken, origins } = chooseTurns(callbacks, given)
  return { taken, origins }
}
const takenOf = (callbacks: DueCallback[], given: Situation = {}) => choose(callbacks, given).taken

describe('an ordering key', () => {
  const orderingKey = 'job 1'
  const rows: [name: string, callbacks: DueCallback[], taken: string[]][] = [
    [
      'has one call, of the lowest sequence',
      [due('2', { orderingKey, sequence: 2, dueAt: after(-9) }), due('1', { orderingKey })],
      ['1'],
    ],
    [
      'waits while one is under way',
      [
        underWay('1', { orderingKey, sequence: 2 }),
        due('2', { orderingKey, sequence: 3 }),
        due('0', { orderingKey }),
      ],
      [],
    ],
    [
      'does not wait for one that is due later',
      [middle('1', { orderingKey, dueAt: after(1) }), due('2', { orderingKey, sequence: 2 })],
      ['2'],
    ],
    [
      'waits for a lower sequence that another origin has no room for',
      [
        underWay('h1', { origin: b }),
        underWay('h2', { origin: b }),
        due('1', { orderingKey, origin: b }),
        due('2', { orderingKey, sequence: 2 }),
      ],
      [],
    ],
    ['does not wait for another key', [underWay('1'), due('2')], ['2']],
  ]

  test.for(rows)('%s', ([, callbacks, taken]) => {
    expect(takenOf(callbacks)).toEqual(taken)
  })
})

describe('one origin', () => {
  test('calls the callbacks that are due longest first, up to its limit of calls', () => {
    const callbacks = [due('1'), due('2', { dueAt: after(-2) }), due('3', { dueAt: after(-1) })]

    expect(choose(callbacks)).toEqual({
      taken: ['2', '3'],
      origins: [{ origin: a, health: initialHealth, bucket: { tokens: 98, at: now } }],
    })
  })

  test('counts the calls that other processes have under way', () => {
    expect(takenOf([underWay('1'), due('2'), due('3')])).toEqual(['2'])
    expect(choose([underWay('1'), underWay('2'), due('3')])).toEqual({
      taken: [],
      origins: [],
    })
  })

  test('has separate room for the last attempts of windows', () => {
    const callbacks = [underWay('1'), underWay('2'), due('3'), last('4'), last('5'), last('6')]

    expect(takenOf(callbacks)).toEqual(['4', '5'])
  })

  test.for([
    [0, ['3']],
    [0.001, []],
  ] as const)(
    'has that room for an attempt that waited until its window ends in %d s',
    ([seconds, taken]) => {
      const late = middle('3', { dueAt: after(-2), windowEndsAt: after(seconds) })

      expect(takenOf([underWay('1'), underWay('2'), late])).toEqual(taken)
    },
  )

  test('makes no more calls than it has tokens, and gains tokens with time', () => {
    const origins = new Map([[a, { health: initialHealth, bucket: { tokens: 0.5, at: now } }]])
    const callbacks = [due('1'), due('2')]

    expect(takenOf(callbacks, { origins })).toEqual([])
    expect(choose(callbacks, { origins, now: after(0.01) })).toEqual({
      taken: ['1'],
      origins: [{ origin: a, health: initialHealth, bucket: { tokens: 0.5, at: after(0.01) } }],
    })
  })
})

describe('the limit of an origin', () => {
  const owed = (callsMax: number) => Array.from({ length: 50 }, (_, i) => due(`${i}`, { callsMax }))
  const takenWithin = (callsPerOriginMax: number, callbacks: DueCallback[]) =>
    takenOf(callbacks, { limits: { ...limits, callsPerOriginMax } }).length

  test('is what a contract allows, at most what the operator allows', () => {
    expect(takenWithin(64, owed(8))).toBe(8)
    expect(takenWithin(64, owed(40))).toBe(40)
    expect(takenWithin(16, owed(40))).toBe(16)
  })

  test('is the highest of the contracts that call it', () => {
    const others = owed(3).map((each) => ({
      ...each,
      id: `other ${each.id}`,
      orderingKey: `other ${each.id}`,
    }))

    expect(takenWithin(64, [...others, underWay('held', { callsMax: 9 })])).toBe(8)
  })
})

describe('several origins', () => {
  const many = [due('a1'), due('a2'), due('a3'), due('b1', { origin: b }), due('b2', { origin: b })]

  test('get one call each in turn, in the order of their callbacks', () => {
    expect(takenOf(many)).toEqual(['a1', 'b1', 'a2', 'b2'])
  })

  test.for([0, 1, 2, 3])('share the free calls: %i', (free) => {
    expect(takenOf(many, { free })).toEqual(['a1', 'b1', 'a2', 'b2'].slice(0, free))
  })

  test('use the calls that a full origin cannot use', () => {
    const callbacks = [underWay('h1'), underWay('h2'), ...many]

    expect(takenOf(callbacks, { free: 2 })).toEqual(['b1', 'b2'])
  })
})

describe('a breaker', () => {
  const broken = (breaker: 'open' | 'half-open', seconds: number): OriginHealth => ({
    breaker,
    breakerUntil: after(seconds),
    failuresInRow: 10,
    minutes: [{ minute: 1, calls: 10, failures: 10 }],
  })
  const known = (health: OriginHealth): ReadonlyMap<string, KnownOrigin> =>
    new Map([[a, { health, bucket: null }]])

  const shut: [breaker: 'open' | 'half-open', seconds: number][] = [
    ['open', 25],
    ['half-open', 15],
  ]

  test.for(shut)('that is %s holds back all but the attempts owed now', ([breaker, seconds]) => {
    const health = broken(breaker, seconds)
    const callbacks = [
      middle('1'),
      middle('2', { windowEndsAt: after(10) }),
      due('3'),
      due('4', { owedSince: after(-290) }),
      due('5', { owedSince: after(-300) }),
      last('6'),
    ]

    expect(choose(callbacks, { origins: known(health) })).toEqual({
      taken: ['5', '6'],
      origins: [{ origin: a, health, bucket: { tokens: 98, at: now } }],
    })
  })

  test('holds back for at most five minutes a callback with neither a first nor a last attempt ahead', () => {
    const only = (owedSince: Date) => [due('1', { isFirst: false, owedSince })]
    const origins = known(broken('open', 25))

    expect(takenOf(only(after(-299)), { origins })).toEqual([])
    expect(takenOf(only(after(-300)), { origins })).toEqual(['1'])
  })

  test('lets an attempt through that is past its window, planned as the last or not', () => {
    const late = middle('1', { dueAt: after(-2), windowEndsAt: after(-1) })

    expect(takenOf([late], { origins: known(broken('open', 25)) })).toEqual(['1'])
  })

  test('limits the callbacks that it held back until the end of their window to the room for last attempts', () => {
    const origins = known(broken('open', 25))
    const late = (id: string) => middle(id, { dueAt: after(-2), windowEndsAt: after(-1) })
    const callbacks = [underWay('1'), underWay('2'), late('3'), late('4'), late('5')]

    expect(takenOf(callbacks, { origins })).toEqual(['3', '4'])
  })

  test.for(['open', 'half-open'] as const)(
    'that was %s lets one call through as a probe',
    (breaker) => {
      const health = broken(breaker, 0)

      expect(choose([middle('1'), due('2'), last('3')], { origins: known(health) })).toEqual({
        taken: ['1', '3'],
        origins: [
          {
            origin: a,
            health: { ...health, breaker: 'half-open', breakerUntil: after(20) },
            bucket: { tokens: 98, at: now },
          },
        ],
      })
    },
  )

  test('waits until a probe can be called', () => {
    const origins = known(broken('open', 0))
    const nothing = { taken: [], origins: [] }
    const orderingKey = 'job 1'

    expect(choose([underWay('1'), underWay('2'), middle('3')], { origins })).toEqual(nothing)
    expect(
      choose([underWay('1', { orderingKey }), middle('2', { orderingKey })], { origins }),
    ).toEqual(nothing)
    expect(choose([middle('1')], { origins, free: 0 })).toEqual(nothing)
  })

  test('that lets a probe through lets no other callback of its print job through', () => {
    const orderingKey = 'job 1'
    const callbacks = [middle('1', { orderingKey }), last('2', { orderingKey, sequence: 2 })]

    expect(takenOf(callbacks, { origins: known(broken('open', 0)) })).toEqual(['1'])
  })

  test('of one origin does not affect other origins', () => {
    const origins = known(broken('open', 25))

    expect(takenOf([middle('1'), middle('2', { origin: b })], { origins })).toEqual(['2'])
  })

  test('that delays a callback does not block its print job', () => {
    const callbacks = [
      middle('1', { orderingKey: 'job 1' }),
      last('2', { orderingKey: 'job 1', sequence: 2 }),
      due('3', { orderingKey: 'job 2' }),
      due('4', { orderingKey: 'job 2', sequence: 2, origin: b }),
    ]

    expect(takenOf(callbacks, { origins: known(broken('open', 25)) })).toEqual(['2', '4'])
  })
})

test('chooses nothing when nothing is due', () => {
  expect(choose([])).toEqual({ taken: [], origins: [] })
  expect(choose([due('1', { dueAt: after(0.001) })])).toEqual({ taken: [], origins: [] })
})

describe('the reserve', () => {
  const reserving = { limits: { ...limits, reservedCalls: 2 } }
  const fromA = [underWay('under way'), due('a 1'), due('a 2')]
  const fromB = [due('b 1', { origin: b }), due('b 2', { origin: b })]

  test.for<[name: string, callbacks: DueCallback[], free: number, taken: string[]]>([
    ['is not for an origin with a call under way', fromA, 2, []],
    ['leaves such an origin what is above it', fromA, 3, ['a 1']],
    ['gives one call to an origin that has none', [...fromA, ...fromB], 2, ['b 1']],
    ['gives no call that there is no room for', fromB, 0, []],
  ])('%s', ([, callbacks, free, taken]) => {
    expect(takenOf(callbacks, { ...reserving, free })).toEqual(taken)
  })
})

describe('a consumer', () => {
  const hanging = Array.from({ length: 300 }, (_, i) =>
    due(`hangs ${i}`, { consumerId: 'hanging', origin: `https://${i}.example` }),
  )
  const takenBy = (consumerId: string, taken: readonly string[]) =>
    taken.filter((id) => id.startsWith(consumerId)).length

  test('leaves a ninth of the calls free, however many origins it names', () => {
    expect(takenOf(hanging, { free: 255 })).toHaveLength(227)
  })

  test('has its share of what the others have left', () => {
    const others = hanging.map((each) => ({ ...each, id: `other ${each.id}`, consumerId: 'other' }))

    const taken = takenOf([...hanging, ...others], { free: 255 })

    expect([takenBy('hangs', taken), takenBy('other', taken)]).toEqual([120, 120])
  })

  test('waits while its calls under way are its share', () => {
    const underWay = new Map([['hanging', 224]])

    expect(takenOf(hanging, { free: 28, underWay })).toEqual([])
    expect(takenOf([...hanging, due('other')], { free: 28, underWay })).toEqual(['other'])
    expect(takenOf(hanging, { free: 29, underWay })).toHaveLength(1)
  })
})

describe('a turn', () => {
  const long = { ...limits, turnLength: 3 }
  const turnOf = (callbacks: DueCallback[], given: Situation = {}) =>
    chooseTurns(callbacks, { limits: long, ...given }).turns
  const many = (count: number, given: Partial<DueCallback> = {}) =>
    Array.from({ length: count }, (_, index) => due(`${index + 1}`, given))

  test('has callbacks that follow its first calls, in their order', () => {
    expect(turnOf(many(9))).toEqual([
      { origin: a, callbacks: ['1', '2', '3', '4', '5', '6'], atOnce: 2 },
    ])
  })

  test('is as long as the calls that it makes at once allow', () => {
    expect(turnOf([underWay('0'), ...many(9)])).toEqual([
      { origin: a, callbacks: ['1', '2', '3'], atOnce: 1 },
    ])
  })

  test('has one callback of each ordering key', () => {
    expect(turnOf([due('other'), ...many(4, { orderingKey: 'job' })])).toEqual([
      { origin: a, callbacks: ['other', '1'], atOnce: 2 },
    ])
  })

  test('of last attempts beyond the limit has no callbacks that follow', () => {
    expect(turnOf([last('l1'), last('l2'), last('l3'), ...many(9)])).toEqual([
      { origin: a, callbacks: ['l1', 'l2', '1', '2', '3', '4'], atOnce: 2 },
      { origin: a, callbacks: ['l3'], atOnce: 1 },
    ])
    expect(turnOf([underWay('0'), underWay('00'), last('l1'), ...many(9)])).toEqual([
      { origin: a, callbacks: ['l1'], atOnce: 1 },
    ])
  })

  test('has callbacks of all consumers in turn', () => {
    const consumers = [...many(9, { consumerId: 'one' }), due('other', { consumerId: 'two' })]

    const [turn] = turnOf(consumers, { limits: { ...long, callsPerOriginMax: 1 } })

    expect(turn).toEqual({ origin: a, callbacks: ['1', 'other', '2'], atOnce: 1 })
  })

  test('ends with the tokens of its origin, which are taken', () => {
    const origins = new Map([[a, { health: initialHealth, bucket: { tokens: 4, at: now } }]])

    const choice = chooseTurns(many(9), { limits: long, origins })

    expect(choice.turns).toEqual([{ origin: a, callbacks: ['1', '2', '3', '4'], atOnce: 2 }])
    expect(choice.origins).toMatchObject([{ bucket: { tokens: 0 } }])
  })

  test.each(['open', 'half-open'] as const)(
    'has only its call where the breaker was %s',
    (breaker) => {
      const health = { ...initialHealth, breaker, breakerUntil: after(-1) }

      expect(turnOf(many(9), { origins: new Map([[a, { health, bucket: null }]]) })).toEqual([
        { origin: a, callbacks: ['1'], atOnce: 1 },
      ])
    },
  )
})
