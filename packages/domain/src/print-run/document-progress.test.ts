import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DocumentOutcome,
  type DocumentProgress,
  type DocumentState,
  documentOutcomes,
  isPostable,
  isPostableOnBehalf,
  isReprintable,
  judgeItemEvent,
} from './document-progress.ts'
import { type ItemEventType, itemEventTypes } from './item-event.ts'

const fresh: DocumentState = { firstAttempt: 1, attempt: 1, progress: null, outcome: null }

function judge(
  standing: Partial<DocumentState>,
  type: ItemEventType,
  { attempt = 1, reported = [] }: { attempt?: number; reported?: ItemEventType[] } = {},
) {
  const before = { ...fresh, ...standing }
  const judgement = judgeItemEvent(before, { type, attempt }, new Set(reported))
  if (judgement.kind === 'refuse') return judgement.reason
  const { progress, outcome } = judgement.standing
  return [judgement.kind, progress, outcome]
}

describe('the current attempt', () => {
  const rows: [DocumentProgress | null, ItemEventType, string, DocumentProgress | null][] = [
    [null, 'FETCHED', 'apply', 'FETCHED'],
    [null, 'ENCLOSED', 'apply', 'ENCLOSED'],
    ['FETCHED', 'PRINTED', 'apply', 'PRINTED'],
    ['PRINTED', 'FETCHED', 'record', 'PRINTED'],
    ['PRINTED', 'PRINTED', 'record', 'PRINTED'],
    ['PRINTED', 'ENCLOSED', 'apply', 'ENCLOSED'],
    ['ENCLOSED', 'PRINTED', 'record', 'ENCLOSED'],
    ['ENCLOSED', 'SPOILED', 'apply', 'SPOILED'],
    ['SPOILED', 'PRINTED', 'record', 'SPOILED'],
    ['SPOILED', 'ENCLOSED', 'record', 'SPOILED'],
    [null, 'DIVERTED', 'record', null],
    ['PRINTED', 'DIVERTED', 'record', 'PRINTED'],
  ]

  test.for(rows)(
    'at %s the event %s has the decision %s and the progress %s',
    ([progress, type, kind, next]) => {
      expect(judge({ progress }, type)).toEqual([kind, next, null])
    },
  )

  test.for<DocumentProgress | null>([null, 'FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED'])(
    'at %s a document may fail, and keeps its progress',
    (progress) => {
      expect(judge({ progress }, 'FAILED')).toEqual(['apply', progress, 'FAILED'])
    },
  )

  test.for(itemEventTypes.filter((type) => type !== 'DIVERTED'))('accepts %s only once', (type) => {
    expect(judge({}, type, { reported: [type] })).toBe('already-reported')
  })

  test('accepts DIVERTED repeatedly', () => {
    expect(judge({}, 'DIVERTED', { reported: ['DIVERTED'] })).toEqual(['record', null, null])
  })
})

describe('a document with its outcome', () => {
  const rows: [DocumentOutcome, ItemEventType, unknown][] = [
    ['DESPATCHED', 'FETCHED', ['record', 'FETCHED', 'DESPATCHED']],
    ['DESPATCHED', 'PRINTED', ['record', 'PRINTED', 'DESPATCHED']],
    ['DESPATCHED', 'DIVERTED', ['record', null, 'DESPATCHED']],
    ['DESPATCHED', 'SPOILED', 'not-spoilable'],
    ['DESPATCHED', 'FAILED', 'not-failable'],
    ['FAILED', 'PRINTED', ['record', 'PRINTED', 'FAILED']],
    ['FAILED', 'SPOILED', ['record', 'SPOILED', 'FAILED']],
    ['FAILED', 'FAILED', 'not-failable'],
    ['RECALLED', 'PRINTED', ['record', 'PRINTED', 'RECALLED']],
    ['RECALLED', 'SPOILED', ['record', 'SPOILED', 'RECALLED']],
    ['RECALLED', 'FAILED', 'not-failable'],
    ['REFUSED', 'FETCHED', 'not-in-production'],
    ['REFUSED', 'SPOILED', 'not-in-production'],
    ['REFUSED', 'FAILED', 'not-in-production'],
    ['REFUSED', 'DIVERTED', 'not-in-production'],
  ]

  test.for(rows)('%s keeps its outcome after a late %s: %o', ([outcome, type, judged]) => {
    expect(judge({ outcome }, type)).toEqual(judged)
  })
})

describe('another attempt', () => {
  test.for(itemEventTypes)('refuses %s of an unauthorised attempt', (type) => {
    expect(judge({ attempt: 2 }, type, { attempt: 3 })).toBe('attempt-not-authorised')
  })

  test.for(itemEventTypes)('refuses %s of an attempt in an earlier print run', (type) => {
    expect(judge({ firstAttempt: 2, attempt: 2 }, type)).toBe('attempt-not-authorised')
  })

  const rows: [ItemEventType, unknown][] = [
    ['FETCHED', ['record', 'PRINTED', null]],
    ['PRINTED', ['record', 'PRINTED', null]],
    ['DIVERTED', ['record', 'PRINTED', null]],
    ['FAILED', 'not-failable'],
  ]
  test.for(rows)('decides on a late %s of the attempt before the reprint: %o', ([type, judged]) => {
    expect(judge({ attempt: 2, progress: 'PRINTED' }, type)).toEqual(judged)
  })

  test.for<ItemEventType>(['FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED'])(
    'keeps the progress of the reprint after a late %s of the attempt before',
    (type) => {
      expect(judge({ attempt: 2 }, type)).toEqual(['record', null, null])
      expect(judge({ attempt: 2, outcome: 'DESPATCHED' }, type)).toEqual([
        'record',
        null,
        'DESPATCHED',
      ])
    },
  )
})

const postable: [Partial<DocumentState>, boolean][] = [
  [{}, true],
  [{ progress: 'FETCHED' }, true],
  [{ progress: 'SPOILED' }, false],
  [{ progress: 'ENCLOSED', outcome: 'DESPATCHED' }, false],
  [{ attempt: 2 }, false],
  [{ attempt: 2, progress: 'FETCHED' }, false],
  [{ attempt: 2, progress: 'PRINTED' }, true],
  [{ attempt: 2, progress: 'ENCLOSED' }, true],
  [{ firstAttempt: 2, attempt: 2 }, true],
]
test.for(postable)('a document that is %o may be posted: %s', ([standing, expected]) => {
  expect(isPostable({ ...fresh, ...standing })).toBe(expected)
})

const postableOnBehalf: [Partial<DocumentState>, boolean][] = [
  [{}, true],
  [{ progress: 'FETCHED' }, true],
  [{ progress: 'SPOILED' }, false],
  [{ outcome: 'DESPATCHED' }, false],
  [{ outcome: 'RECALLED' }, false],
  [{ attempt: 2 }, true],
  [{ attempt: 2, progress: 'PRINTED' }, true],
  [{ attempt: 2, progress: 'SPOILED' }, false],
]
test.for(postableOnBehalf)(
  'a document that is %o may be posted on behalf of the provider: %s',
  ([standing, expected]) => {
    expect(isPostableOnBehalf({ ...fresh, ...standing })).toBe(expected)
  },
)

const reprintable: [Partial<DocumentState>, boolean][] = [
  [{}, false],
  [{ progress: 'PRINTED' }, false],
  [{ progress: 'SPOILED' }, true],
  [{ attempt: 2, progress: 'SPOILED' }, true],
  [{ progress: 'SPOILED', outcome: 'FAILED' }, false],
]
test.for(reprintable)('a document that is %o may be reprinted: %s', ([standing, expected]) => {
  expect(isReprintable({ ...fresh, ...standing })).toBe(expected)
})

type SentEvent = { id: number; type: ItemEventType; attempt: number }

/** A platform that stores one document: the events that it has not refused, and the resulting standing. */
function aPlatform(start: DocumentState) {
  const kept = new Map<number, SentEvent>()
  let standing = start
  return {
    take(event: SentEvent): void {
      if (kept.has(event.id)) return
      const ofAttempt = [...kept.values()].filter(({ attempt }) => attempt === event.attempt)
      const judgement = judgeItemEvent(standing, event, new Set(ofAttempt.map(({ type }) => type)))
      if (judgement.kind === 'refuse') return
      kept.set(event.id, event)
      standing = judgement.standing
    },
    authorise(): void {
      standing = { ...standing, attempt: standing.attempt + 1, progress: null }
    },
    standing: () => standing,
    keptEvents: () => [...kept.values()].toSorted((one, other) => one.id - other.id),
  }
}

const attempts = fc.integer({ min: 1, max: 4 })
const someEvents = fc
  .array(fc.record({ type: fc.constantFrom(...itemEventTypes), attempt: attempts }), {
    maxLength: 20,
  })
  .map((events) => events.map((event, id) => ({ ...event, id })))
const someStanding = fc
  .record({
    firstAttempt: fc.integer({ min: 1, max: 2 }),
    reprints: fc.integer({ min: 0, max: 2 }),
    outcome: fc.constantFrom(null, ...documentOutcomes),
  })
  .map(({ firstAttempt, reprints, outcome }) => ({
    firstAttempt,
    attempt: firstAttempt + reprints,
    progress: null,
    outcome,
  }))

/** The same events in two orders, the second with repetitions. */
const inTwoOrders = <Event>(events: readonly Event[]) =>
  fc
    .subarray([...events])
    .chain((again) => {
      const all = [...events, ...again]
      return fc.shuffledSubarray(all, { minLength: all.length })
    })
    .map((shuffled) => ({ events, shuffled }))

const eachOnce = someEvents.map((events) =>
  events.filter(
    ({ type, attempt }, place) =>
      type === 'DIVERTED' ||
      events.findIndex((other) => other.type === type && other.attempt === attempt) === place,
  ),
)

describe('events in any order', () => {
  test('give the same result, with any repetitions', () => {
    fc.assert(
      fc.property(someStanding, eachOnce.chain(inTwoOrders), (standing, { events, shuffled }) => {
        const [one, other] = [aPlatform(standing), aPlatform(standing)]

        events.forEach(one.take)
        shuffled.forEach(other.take)

        expect(other.standing()).toEqual(one.standing())
        expect(other.keptEvents()).toEqual(one.keptEvents())
      }),
    )
  })

  test('print each attempt at most once, and only if it was authorised', () => {
    fc.assert(
      fc.property(someStanding, someEvents, (standing, events) => {
        const platform = aPlatform(standing)

        events.forEach(platform.take)

        const printed = platform
          .keptEvents()
          .filter(({ type }) => type === 'PRINTED')
          .map(({ attempt }) => attempt)
        expect(new Set(printed).size).toBe(printed.length)
        expect(
          printed.filter(
            (attempt) => attempt < standing.firstAttempt || attempt > standing.attempt,
          ),
        ).toEqual([])
      }),
    )
  })

  test('give the same result when refused events are repeated after the reprint is authorised', () => {
    const history = fc
      .integer({ min: 1, max: 4 })
      .map((last) =>
        Array.from({ length: last }, (_, place) => place + 1).flatMap((attempt) =>
          (['FETCHED', 'PRINTED', attempt < last ? 'SPOILED' : 'ENCLOSED'] as const).map(
            (type, step) => ({ id: attempt * 10 + step, type, attempt }),
          ),
        ),
      )
    fc.assert(
      fc.property(history.chain(inTwoOrders), ({ events, shuffled }) => {
        const platform = aPlatform(fresh)

        for (let round = 0; round < 4; round += 1) {
          for (const event of shuffled) {
            platform.take(event)
            if (isReprintable(platform.standing())) platform.authorise()
          }
        }

        const { attempt } = events.at(-1)!
        expect(platform.standing()).toEqual({ ...fresh, attempt, progress: 'ENCLOSED' })
        expect(platform.keptEvents()).toEqual(events)
      }),
    )
  })
})
