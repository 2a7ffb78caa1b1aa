import { describe, expect, test } from 'vitest'
import {
  type BatchChoice,
  batchMs,
  createBatchChooser,
  type Share,
  type SpentTime,
  slowMs,
  subjectsMax,
  type WaitingSubjects,
} from './choose-batches.ts'
import type { Kind } from './kind.ts'

type Lane = 'plain' | 'files' | 'slow'
type WorkQueue = 'letters' | 'slow'

const kind: Pick<Kind, 'lanes' | 'queues'> = {
  lanes: { plain: { guessMs: 5 }, files: { guessMs: 40 }, slow: { guessMs: 3_000, isSlow: true } },
  queues: {
    ordinary: { name: 'letters', offeredMax: 4, offeredSeconds: 5 },
    slow: { name: 'slow', offeredMax: 2, offeredSeconds: 15 },
  },
}

type Sender = {
  name: string
  lane?: Lane
  /** What one of its letters really takes. */
  letterMs: number
  /** Adds letters at these times. Default: more than can be done, at the start. */
  sends?: readonly { atMs: number; size: number }[]
}

type Served = { size: number; ms: number; firstAtMs: number; lastAtMs: number }
type Started = BatchChoice & { atMs: number; ms: number }

const backlog = 1_000_000
const offeredMax: Readonly<Record<WorkQueue, number>> = { letters: 4, slow: 2 }

/**
 * Workers with a simulated clock, as the pipeline runs them: a pass whenever letters arrive, a batch is taken or a batch
 * ends; few batches are offered; a worker takes the offered batches in order, urgent ones first.
 */
function simulate(
  senders: readonly Sender[],
  { untilMs, workers = { letters: 4, slow: 1 } }: { untilMs: number; workers?: typeof offeredMax },
) {
  const chooser = createBatchChooser(kind)
  const letters = new Map<Sender, number>(senders.map((sender) => [sender, 0]))
  const offered: BatchChoice[] = []
  const running: { batch: BatchChoice; endsAtMs: number; spent: SpentTime[] }[] = []
  const batches: Started[] = []
  const served = new Map<string, Served>()
  const toSend = senders.flatMap((sender) =>
    (sender.sends ?? [{ atMs: 0, size: backlog }]).map((sent) => ({ sender, ...sent })),
  )
  const senderOf = (consumerId: string, lane: string) =>
    senders.find((sender) => sender.name === consumerId && (sender.lane ?? 'plain') === lane)!

  function pass(spent: readonly SpentTime[]): void {
    chooser.spend(spent)
    const waiting = [...letters].flatMap(([{ name, lane = 'plain' }, count]): WaitingSubjects[] =>
      count > 0 ? [{ lane, consumerId: name, size: Math.min(count, 100) }] : [],
    )
    const roomOf = (queue: WorkQueue) =>
      offeredMax[queue] - offered.filter((batch) => batch.queue === queue).length
    const chosen = chooser.choose(waiting, { letters: roomOf('letters'), slow: roomOf('slow') })
    for (const batch of chosen) {
      for (const share of batch.shares) {
        const sender = senderOf(share.consumerId, batch.lane)
        letters.set(sender, letters.get(sender)! - share.size)
      }
      offered.push(batch)
    }
  }

  function take(queue: WorkQueue, atMs: number): boolean {
    const ofQueue = offered.filter((batch) => batch.queue === queue)
    const batch = ofQueue.find(({ isFirst }) => isFirst) ?? ofQueue[0]
    const isFree = running.filter((run) => run.batch.queue === queue).length < workers[queue]
    if (!batch || !isFree) return false
    offered.splice(offered.indexOf(batch), 1)
    const spent = batch.shares.map((share): SpentTime => {
      const ms = share.size * senderOf(share.consumerId, batch.lane).letterMs
      note(served, share.consumerId, { size: share.size, ms, atMs })
      return { lane: batch.lane, ...share, ms }
    })
    const ms = spent.reduce((sum, each) => sum + each.ms, 0)
    batches.push({ ...batch, atMs, ms })
    running.push({ batch, endsAtMs: atMs + ms, spent })
    return true
  }

  for (let atMs = 0; atMs <= untilMs; ) {
    for (const { sender, size: added } of toSend.filter((sent) => sent.atMs === atMs)) {
      letters.set(sender, letters.get(sender)! + added)
    }
    const ended = running.filter(({ endsAtMs }) => endsAtMs <= atMs)
    for (const end of ended) running.splice(running.indexOf(end), 1)
    pass(ended.flatMap(({ spent }) => spent))
    while (take('letters', atMs) || take('slow', atMs)) pass([])
    const moments = [...running.map(({ endsAtMs }) => endsAtMs), ...toSend.map((sent) => sent.atMs)]
    atMs = Math.min(...moments.filter((moment) => moment > atMs), untilMs + 1)
  }
  return { batches, chooser, of: (name: string) => served.get(name)! }
}

function note(
  served: Map<string, Served>,
  consumerId: string,
  { size, ms, atMs }: { size: number; ms: number; atMs: number },
): void {
  const before = served.get(consumerId) ?? { size: 0, ms: 0, firstAtMs: atMs, lastAtMs: atMs }
  served.set(consumerId, {
    size: before.size + size,
    ms: before.ms + ms,
    firstAtMs: before.firstAtMs,
    lastAtMs: atMs,
  })
}

const seconds = (count: number) => count * 1_000
const some = (count: number, sender: Omit<Sender, 'name'>): Sender[] =>
  Array.from({ length: count }, (_, index) => ({ name: `rival ${index}`, ...sender }))

describe('consumers share the workers', () => {
  test('by the processing time of their letters, not by their number', () => {
    const { of } = simulate(
      [
        { name: 'cheap', letterMs: 2 },
        { name: 'dear', letterMs: 20 },
      ],
      { untilMs: seconds(60) },
    )

    expect(of('cheap').ms / of('dear').ms).toBeCloseTo(1, 1)
    expect(of('cheap').size / of('dear').size).toBeCloseTo(10, 0)
  })

  test.each([0.05, 500, 2_000])(
    'also if a letter takes %d ms, far from the first estimate',
    (ms) => {
      const { of } = simulate(
        [
          { name: 'unexpected', letterMs: ms },
          { name: 'ordinary', letterMs: 5 },
        ],
        { untilMs: seconds(300) },
      )

      // a letter in 0.05 ms would need more than 100 letters for its share of a batch
      const share = of('unexpected').ms / (of('unexpected').ms + of('ordinary').ms)
      expect(share).toBeLessThan(0.55)
      if (ms > 1) expect(share).toBeGreaterThan(0.45)
    },
  )

  test('evenly, when twenty are busy', () => {
    const { of } = simulate(some(20, { letterMs: 5 }), { untilMs: seconds(60) })

    const times = Array.from({ length: 20 }, (_, index) => of(`rival ${index}`).ms)
    expect(Math.max(...times) / Math.min(...times)).toBeLessThan(1.1)
  })

  test('and a consumer with a still unknown cost gets little, which it repays later', () => {
    const { of, batches } = simulate(
      [{ name: 'dear', letterMs: 1_000 }, ...some(3, { letterMs: 5 })],
      { untilMs: seconds(100) },
    )

    const early = batches.filter(
      ({ atMs, shares }) => atMs < seconds(7) && shares[0]!.consumerId === 'dear',
    )
    expect(early[0]).toMatchObject({ shares: [{ size: 7 }] })
    expect(early.slice(1).flatMap(({ shares }) => shares.map(({ size }) => size))).toEqual(
      early.slice(1).map(() => 1),
    )
    const earlyMs = early.reduce((sum, { ms }) => sum + ms, 0)
    expect(earlyMs).toBeLessThan(seconds(15))
    expect(of('dear').ms / of('rival 0').ms).toBeCloseTo(1, 1)
  })
})

describe('a newcomer', () => {
  const newcomer = { name: 'newcomer', letterMs: 5, sends: [{ atMs: 20_000, size: 7 }] }

  test('gets the next batch, although 20,000 letters of another consumer wait', () => {
    const sends = [{ atMs: 0, size: 20_000 }]
    const { of, batches } = simulate([{ name: 'busy', letterMs: 5, sends }, newcomer], {
      untilMs: seconds(22),
    })

    // a worker takes one of the offered batches, which makes room, and the next is the newcomer's
    expect(batches.filter(({ atMs }) => atMs >= 20_000)[1]).toMatchObject({
      isFirst: true,
      shares: [{ consumerId: 'newcomer', size: 7 }],
    })
    expect(of('newcomer').firstAtMs - 20_000).toBeLessThanOrEqual(batchMs)
  })

  test('gets the next batch among twenty busy consumers, each time it sends', () => {
    const sends = [2_000, 9_000, 20_000].map((atMs) => ({ atMs, size: 7 }))
    const { batches } = simulate([...some(20, { letterMs: 5 }), { ...newcomer, sends }], {
      untilMs: seconds(22),
    })

    for (const { atMs: sentAtMs } of sends) {
      const first = batches.filter(({ atMs }) => atMs >= sentAtMs)[1]!
      expect(first).toMatchObject({ isFirst: true, shares: [{ consumerId: 'newcomer' }] })
      expect(first.atMs - sentAtMs).toBeLessThanOrEqual(batchMs)
    }
  })

  test('keeps its turn while the queue is full', () => {
    const chooser = createBatchChooser(kind)
    const busy = { lane: 'plain', consumerId: 'busy', size: 100 } as const
    const fresh = { lane: 'plain', consumerId: 'newcomer', size: 1 } as const
    chooser.choose([busy], { letters: 4, slow: 2 })

    expect(chooser.choose([busy, fresh], { letters: 0, slow: 2 })).toEqual([])

    expect(chooser.choose([busy, fresh], { letters: 1, slow: 2 })).toEqual([
      {
        lane: 'plain',
        queue: 'letters',
        isFirst: true,
        shares: [{ consumerId: 'newcomer', size: 1 }],
      },
    ])
  })

  test('overtakes once, with few letters, and then gets an equal share', () => {
    const { of, batches } = simulate(
      [
        { name: 'busy', letterMs: 5 },
        { name: 'newcomer', letterMs: 5, sends: [{ atMs: 20_000, size: backlog }] },
      ],
      { untilMs: seconds(40) },
    )

    const overtaking = batches.filter(({ isFirst, atMs }) => isFirst && atMs >= 20_000)
    expect(overtaking.map(({ shares }) => shares)).toEqual([[{ consumerId: 'newcomer', size: 7 }]])
    const since = batches.filter(({ atMs }) => atMs >= 20_000)
    const busyMs = since
      .filter(({ shares }) => shares[0]!.consumerId === 'busy')
      .reduce((sum, { ms }) => sum + ms, 0)
    expect(of('newcomer').ms / busyMs).toBeCloseTo(1, 1)
  })
})

test('an idle consumer gains no credit', () => {
  const { of, batches } = simulate(
    [
      { name: 'steady', letterMs: 5 },
      {
        name: 'absent',
        letterMs: 5,
        sends: [40, 400_000].map((atMs) => ({ atMs, size: 20_000 })),
      },
    ],
    { untilMs: 430_000 },
  )

  const after = batches.filter(({ atMs }) => atMs >= 400_000)
  const ofSteady = after.filter(({ shares }) => shares[0]!.consumerId === 'steady')
  expect(ofSteady.length / after.length).toBeCloseTo(0.5, 1)
  expect(of('absent').lastAtMs).toBeGreaterThan(429_000)
})

test('a consumer whose letters come one by one counts as a newcomer after each pause', () => {
  const chooser = createBatchChooser(kind)
  const letter = { lane: 'plain', consumerId: 'a', size: 1 } as const
  const choose = () => chooser.choose([letter], { letters: 4, slow: 2 })[0]!.isFirst

  const [first, second] = [choose(), choose()]
  chooser.rest()
  const afterRest = choose()

  expect([first, second, afterRest]).toEqual([true, false, true])
})

test.each([
  [2_999, 'letters'],
  [3_000, 'slow'],
] as const)('letters of %i ms each go to the workers of %s', (ms, queue) => {
  const chooser = createBatchChooser(kind)
  const waiting = { lane: 'plain', consumerId: 'a', size: 100 } as const
  chooser.choose([waiting], { letters: 1, slow: 1 })
  chooser.spend([{ lane: 'plain', consumerId: 'a', size: 1, ms }])

  expect(chooser.choose([waiting], { letters: 1, slow: 1 })[0]).toMatchObject({ queue })
})

test('after a pause without waiting letters all consumers are equal', () => {
  const chooser = createBatchChooser(kind)
  const room = { letters: 1, slow: 1 }
  const waiting = (consumerId: string) => ({ lane: 'plain', consumerId, size: 100 }) as const
  chooser.choose([waiting('a')], room)
  chooser.spend([{ lane: 'plain', consumerId: 'a', size: 7, ms: 60_000 }])
  chooser.choose([waiting('b')], room)
  chooser.spend([{ lane: 'plain', consumerId: 'b', size: 7, ms: 1 }])

  const [next] = chooser.choose([waiting('a'), waiting('c')], room)

  expect(next).toMatchObject({ isFirst: true, shares: [{ consumerId: 'a' }] })
})

test('a newcomer starts equal to the waiting consumer that has used least', () => {
  const chooser = createBatchChooser(kind)
  const letters = (consumerId: string) => ({ lane: 'plain', consumerId, size: 100 }) as const
  const waiting = [letters('dear'), letters('cheap')]
  const took = (share: Share, ms: number) => chooser.spend([{ lane: 'plain', ...share, ms }])
  const next = () =>
    chooser.choose([...waiting, letters('newcomer')], { letters: 1, slow: 1 })[0]!.shares[0]!
  const [dear, cheap] = chooser
    .choose(waiting, { letters: 2, slow: 1 })
    .map(({ shares }) => shares[0]!)
  took(dear!, 20_000)
  took(cheap!, 35)

  const first = next()
  took(first, 40)

  expect([first, next(), next()].map(({ consumerId }) => consumerId)).toEqual([
    ...['newcomer', 'cheap', 'newcomer'],
  ])
})

describe('a consumer whose letters begin to wait again', () => {
  const letters = (consumerId: string, lane: Lane = 'plain') => ({ lane, consumerId, size: 100 })
  /** Gives out one batch after another. Each takes so many milliseconds. */
  function aWorker() {
    const chooser = createBatchChooser(kind)
    return {
      chooser,
      /** Returns whose batch comes next. */
      work: (waiting: readonly string[], ms: number): string => {
        const given = waiting.map((consumerId) => letters(consumerId))
        const [share] = chooser.choose(given, { letters: 1, slow: 1 })[0]!.shares
        chooser.spend([{ lane: 'plain', ...share!, ms }])
        return share!.consumerId
      },
    }
  }

  test('overtakes once, and has no credit for the time without letters', () => {
    const { work } = aWorker()
    work(['idle'], 40)
    for (let batch = 0; batch < 5; batch++) work(['busy'], 150)

    const next = [40, 150, 150].map((ms) => work(['busy', 'idle'], ms))

    expect(next).toEqual(['idle', 'busy', 'idle'])
  })

  test('comes after the others until they have used as much time', () => {
    const { work } = aWorker()
    expect([work(['dear', 'cheap'], 2_000), work(['dear', 'cheap'], 40)]).toEqual(['dear', 'cheap'])
    work(['cheap'], 150)

    expect([1, 2, 3].map(() => work(['dear', 'cheap'], 150))).toEqual(['cheap', 'cheap', 'cheap'])
  })

  test('gets a fair share after a pass without letters in its lane', () => {
    const { chooser, work } = aWorker()
    work(['cheap'], 40)
    chooser.choose([letters('other', 'files')], { letters: 1, slow: 1 })

    const next = [2_000, 40, 150].map((ms) => work(['dear', 'cheap'], ms))

    expect(next).toEqual(['dear', 'cheap', 'cheap'])
  })

  test('is charged for batches that another process formed', () => {
    const { chooser, work } = aWorker()
    chooser.choose([letters('dear')], { letters: 0, slow: 0 })
    chooser.spend([{ lane: 'plain', consumerId: 'dear', size: 5, ms: 2_000 }])

    const next = [40, 40, 40].map((ms) => work(['dear', 'cheap'], ms))

    expect(next).toEqual(['dear', 'cheap', 'cheap'])
  })

  test('keeps its estimate after a batch without remaining letters', () => {
    const { chooser } = aWorker()
    chooser.spend([{ lane: 'plain', consumerId: 'a', size: 0, ms: 10 }])

    const [batch] = chooser.choose([letters('a')], { letters: 1, slow: 1 })

    expect(batch).toMatchObject({ shares: [{ size: 7 }] })
  })
})

test('the time of a letter is remembered while its consumer has no letters', () => {
  const chooser = createBatchChooser(kind)
  const waiting = { lane: 'plain', consumerId: 'a', size: 100 } as const
  chooser.choose([waiting], { letters: 1, slow: 1 })
  chooser.spend([{ lane: 'plain', consumerId: 'a', size: 1, ms: slowMs }])

  for (let pass = 0; pass < 1_000; pass++) chooser.rest()

  expect(chooser.choose([waiting], { letters: 1, slow: 1 })[0]).toMatchObject({ queue: 'slow' })
  for (let pass = 0; pass < 1_001; pass++) chooser.rest()
  expect(chooser.accounts()).toBe(0)
})

test.each([
  [10_000, 10_000],
  [10_001, 0],
])('among %i consumers without letters the chooser remembers %i', (count, remembered) => {
  const chooser = createBatchChooser(kind)
  const waiting = Array.from({ length: count }, (_, index) => ({
    lane: 'plain' as const,
    consumerId: `c${index}`,
    size: 1,
  }))
  chooser.choose(waiting, { letters: 0, slow: 0 })

  chooser.rest()

  expect(chooser.accounts()).toBe(remembered)
})

describe('a batch', () => {
  test('is about 150 ms of work and at most 100 letters, with any time for a letter', () => {
    for (const letterMs of [0.05, 0.4, 5, 40, 140]) {
      const { batches } = simulate([...some(3, { letterMs })], { untilMs: seconds(20) })
      const settled = batches.slice(50)
      expect(settled.length).toBeGreaterThan(50)
      for (const { shares, ms } of settled) {
        const letters = shares.reduce((sum, share) => sum + share.size, 0)
        expect(letters).toBeLessThanOrEqual(subjectsMax)
        expect(ms).toBeLessThanOrEqual(batchMs * 1.01)
        if (letters < subjectsMax) expect(ms).toBeGreaterThan(batchMs / 2)
      }
    }
  })

  test.each([
    [15, [1, 1]],
    [14, [2]],
  ])('is shared if %i letters of 5 ms fill half of it or less: %o', (count, shares) => {
    const chooser = createBatchChooser(kind)
    const waiting = (size: number) =>
      ['a', 'b'].map((consumerId) => ({ lane: 'plain' as const, consumerId, size }))
    const room = { letters: 2, slow: 1 }
    for (const { shares } of chooser.choose(waiting(1), room)) {
      chooser.spend(shares.map((share) => ({ lane: 'plain', ...share, ms: 5 })))
    }

    expect(chooser.choose(waiting(count), room).map((batch) => batch.shares.length)).toEqual(shares)
  })

  test('has letters of several consumers if each has few, and at most 100 letters', () => {
    const sends = Array.from({ length: 200 }, (_, time) => ({ atMs: time * 1_000, size: 49 }))
    const { batches } = simulate(
      [{ name: 'fast', letterMs: 0.1, sends }, ...some(3, { letterMs: 0.1 })],
      { untilMs: seconds(200) },
    )

    for (const { shares } of batches) {
      expect(shares.reduce((sum, share) => sum + share.size, 0)).toBeLessThanOrEqual(subjectsMax)
    }
  })

  test('holds first letters of several consumers', () => {
    const chooser = createBatchChooser(kind)
    const waiting = Array.from({ length: 12 }, (_, index) => ({
      lane: 'plain' as const,
      consumerId: `c${index}`,
      size: 1,
    }))

    const chosen = chooser.choose(waiting, { letters: 4, slow: 0 })

    expect(chosen.map(({ shares }) => shares.length)).toEqual([4, 4, 4])
    expect(chosen.flatMap(({ shares }) => shares)).toHaveLength(12)
  })
})

describe('slow letters', () => {
  test('go to separate workers, one by one, and do not delay other letters', () => {
    const { of, batches } = simulate(
      [
        { name: 'stuck', letterMs: 20_000 },
        { name: 'failed', lane: 'slow', letterMs: 10 },
        { name: 'ordinary', letterMs: 5 },
      ],
      { untilMs: seconds(300) },
    )

    const later = batches.filter(({ atMs }) => atMs >= seconds(200))
    expect(of('ordinary').lastAtMs).toBeGreaterThan(seconds(299))
    for (const { queue, shares } of later) {
      const isOrdinary = shares.every(({ consumerId }) => consumerId === 'ordinary')
      expect(queue).toBe(isOrdinary ? 'letters' : 'slow')
      if (queue === 'slow') expect(shares).toMatchObject([{ size: 1 }])
    }
    expect(of('failed').size).toBeGreaterThan(10)
  })

  test('of other consumers do not slow down a newcomer', () => {
    const { batches } = simulate(
      [
        { name: 'stuck', letterMs: 20_000 },
        { name: 'newcomer', letterMs: 5, sends: [{ atMs: 100_000, size: 10 }] },
      ],
      { untilMs: seconds(120) },
    )

    const [first] = batches.filter(({ shares }) => shares[0]!.consumerId === 'newcomer')
    expect(first).toMatchObject({ queue: 'letters' })
  })
})

test('a batch has as many letters as its lane asks for, even if a batch takes long', () => {
  const lanes = { plain: { guessMs: 5, batchMin: 20 } }
  const chooser = createBatchChooser({ ...kind, lanes })
  const waiting = [{ lane: 'plain', consumerId: 'acme', size: 100 }]
  const sizes = [600, 700, 800, 900].map((ms) => {
    const [batch] = chooser.choose(waiting, { letters: 1, slow: 0 })
    const { size } = batch!.shares[0]!
    chooser.spend([{ lane: 'plain', consumerId: 'acme', size, ms: ms * 10 }])
    return size
  })
  expect(sizes).toEqual([7, 20, 20, 20])
})

test('lanes of one queue take turns, even with room for only one batch', () => {
  const chooser = createBatchChooser(kind)
  const waiting: WaitingSubjects[] = [
    { lane: 'plain', consumerId: 'a', size: 100 },
    { lane: 'files', consumerId: 'a', size: 100 },
    { lane: 'slow', consumerId: 'a', size: 100 },
  ]

  const passes = Array.from({ length: 6 }, () => chooser.choose(waiting, { letters: 1, slow: 1 }))

  const lanesOf = (queue: WorkQueue) =>
    passes.flatMap((chosen) =>
      chosen.filter((batch) => batch.queue === queue).map(({ lane }) => lane),
    )
  expect(lanesOf('letters').toSorted()).toEqual([
    ...['files', 'files', 'files'],
    ...['plain', 'plain', 'plain'],
  ])
  expect(lanesOf('slow')).toEqual(Array.from({ length: 6 }, () => 'slow'))
})

test('the memory does not grow with the number of past consumers', () => {
  const chooser = createBatchChooser(kind)
  const room = { letters: 4, slow: 2 }
  const visit = (consumerId: string) => {
    const letters = [{ lane: 'plain' as const, consumerId, size: 1 }]
    chooser.choose(letters, room)
    chooser.spend([{ lane: 'plain', consumerId, size: 1, ms: 30 }])
  }

  for (let visitor = 0; visitor < 5_000; visitor++) visit(`visitor ${visitor}`)

  expect(chooser.accounts()).toBeLessThanOrEqual(1_002)
  for (let crowd = 0; crowd < 12; crowd++) {
    const waiting = Array.from({ length: 1_000 }, (_, index) => ({
      lane: 'plain' as const,
      consumerId: `${index} of crowd ${crowd}`,
      size: 1,
    }))
    chooser.choose(waiting, { letters: 1_000, slow: 0 })
  }
  expect(chooser.accounts()).toBeLessThan(12_000)
})
