import { expect, test } from 'vitest'
import { checkDeliveries, type Rule } from '../../faults/checks/check-deliveries.ts'
import type { Attempt, Deliveries, NewCallback } from '../../faults/facts/deliveries.ts'
import type { ReceivedCall } from '../../stack/callbacks/recording-receiver.ts'

const origin = 'http://consumer.example'

const anAttempt = (number: number, at: number, detail: Partial<Attempt> = {}): Attempt => ({
  number,
  startedAt: at,
  endedAt: at + 10,
  outcome: 'delivered',
  ...detail,
})

const aCallback = (id: string, detail: Partial<NewCallback>): NewCallback => ({
  id,
  printJobKey: `job of ${id}`,
  sequence: 1,
  strictContractId: null,
  isRetried: true,
  sha256: id,
  state: 'DELIVERED',
  endReason: null,
  attemptCount: detail.attempts?.length ?? 0,
  owedSince: 0,
  windowEndsAt: 60_000,
  endedAt: 0,
  attempts: [],
  ...detail,
})

const aCall = (id: string, at: number, detail: Partial<ReceivedCall> = {}): ReceivedCall => ({
  origin,
  id,
  sha256: id,
  arrivedAt: at + 1,
  endedAt: at + 9,
  isAccepted: true,
  ...detail,
})

/**
 * Two callbacks of one print job, and two in strict order. Also one whose deliverer was killed, one that was refused
 * until its window ended, one without retries, and one whose consumer was gone.
 */
function goodDeliveries(): Deliveries {
  const refused = { outcome: 'refused' } as const
  return {
    callbacks: [
      aCallback('one', { printJobKey: 'job', endedAt: 1_012, attempts: [anAttempt(1, 1_000)] }),
      aCallback('two', {
        printJobKey: 'job',
        sequence: 2,
        endedAt: 1_032,
        attempts: [anAttempt(1, 1_020)],
      }),
      aCallback('killed', {
        endedAt: 25_012,
        attempts: [
          anAttempt(1, 2_000, { outcome: 'interrupted', endedAt: 22_000 }),
          anAttempt(2, 25_000),
        ],
      }),
      aCallback('refused', {
        state: 'DEAD',
        endReason: 'window-ended',
        windowEndsAt: 33_000,
        endedAt: 33_015,
        attempts: [anAttempt(1, 3_000, refused), anAttempt(2, 33_000, refused)],
      }),
      aCallback('unretried', {
        state: 'DEAD',
        endReason: 'retries-off',
        isRetried: false,
        windowEndsAt: null,
        endedAt: 4_015,
        attempts: [anAttempt(1, 4_000, refused)],
      }),
      aCallback('head', {
        strictContractId: 'contract',
        endedAt: 5_012,
        attempts: [anAttempt(1, 5_000)],
      }),
      aCallback('next', {
        strictContractId: 'contract',
        endedAt: 5_042,
        attempts: [anAttempt(1, 5_030)],
      }),
      aCallback('gone', { state: 'DEAD', endReason: 'gone', endedAt: 6_000 }),
    ],
    calls: [
      aCall('one', 1_000),
      aCall('two', 1_020),
      aCall('killed', 2_000),
      aCall('killed', 25_000),
      aCall('refused', 3_000, { isAccepted: false }),
      aCall('refused', 33_000, { isAccepted: false }),
      aCall('unretried', 4_000, { isAccepted: false }),
      aCall('head', 5_000),
      aCall('next', 5_030),
    ],
    blows: [2_005],
    thaws: [],
  }
}

test('good deliveries have no findings', () => {
  expect(checkDeliveries(goodDeliveries())).toEqual([])
})

test('a last attempt may wait for the lease of a call of its print job whose process died', () => {
  const { callbacks, calls, ...others } = goodDeliveries()
  const held = aCallback('held', {
    printJobKey: callbacks.find(({ id }) => id === 'killed')!.printJobKey,
    sequence: 2,
    windowEndsAt: 5_000,
    endedAt: 24_012,
    attempts: [anAttempt(1, 24_000)],
  })
  const deliveries = {
    ...others,
    callbacks: [...callbacks, held],
    calls: [...calls, aCall('held', 24_000)],
  }

  expect(checkDeliveries(deliveries)).toEqual([])
})

type Change = (deliveries: Deliveries) => Deliveries

const change =
  (id: string, detail: Partial<NewCallback>): Change =>
  ({ callbacks, ...others }) => ({
    ...others,
    callbacks: callbacks.map((each) => (each.id === id ? { ...each, ...detail } : each)),
  })
const changeCall =
  (id: string, detail: Partial<ReceivedCall>): Change =>
  ({ calls, ...others }) => ({
    ...others,
    calls: calls.map((each) => (each.id === id ? { ...each, ...detail } : each)),
  })
const addCalls =
  (...added: ReceivedCall[]): Change =>
  ({ calls, ...others }) => ({ ...others, calls: [...calls, ...added] })
const crowd = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `crowd ${index}`, at }))
const addCrowd =
  (count: number, { at, windowEndsAt }: { at: number; windowEndsAt: number }): Change =>
  ({ callbacks, calls, ...others }) => ({
    callbacks: [
      ...callbacks,
      ...crowd(count, at).map(({ id }) =>
        aCallback(id, { windowEndsAt, endedAt: at + 12, attempts: [anAttempt(1, at)] }),
      ),
    ],
    calls: [...calls, ...crowd(count, at).map(({ id }) => aCall(id, at))],
    ...others,
  })

/** For each rule, what breaks it, and whose finding it is. */
const broken: Record<Rule, [what: string, doctor: Change, subject: string][]> = {
  'every callback comes to its end': [
    ['a callback that is still due', change('two', { state: 'DUE', endedAt: null }), 'two'],
  ],
  'every callback is attempted': [
    [
      'a callback that died without an attempt',
      change('unretried', { attempts: [], attemptCount: 0 }),
      'unretried',
    ],
  ],
  'what is delivered was taken': [
    [
      'a consumer that refused what is called delivered',
      changeCall('two', { isAccepted: false }),
      'two',
    ],
  ],
  'nothing is called after its end': [
    [
      'a call after the delivery was recorded',
      changeCall('two', { arrivedAt: 1_033, endedAt: 1_040 }),
      'two',
    ],
  ],
  'every call has the bytes of its callback': [
    ['other bytes in a later call', changeCall('two', { sha256: 'other' }), 'two'],
    ['an id that belongs to no callback', addCalls(aCall('unheard of', 9_000)), 'unheard of'],
  ],
  'every call is an attempt': [
    [
      'a call that no attempt tells of',
      addCalls(aCall('refused', 20_000, { isAccepted: false })),
      'refused',
    ],
  ],
  'what is taken twice was in doubt': [
    [
      'a call that was repeated although its answer was seen',
      changeCall('refused', { isAccepted: true }),
      'refused',
    ],
  ],
  'what is interrupted was struck': [
    [
      'an interruption while nobody was struck',
      (deliveries) => ({ ...deliveries, blows: [1_000, 24_000] }),
      'killed',
    ],
  ],
  'attempts are numbered without gaps': [
    ['a number that is left out', change('two', { attempts: [anAttempt(2, 1_020)] }), 'two'],
    ['an attempt that is counted and not kept', change('two', { attemptCount: 2 }), 'two'],
  ],
  'no attempt comes after its window': [
    [
      'an attempt long after the window',
      change('killed', {
        windowEndsAt: 2_500,
        attempts: [anAttempt(1, 2_000), anAttempt(2, 25_000)],
      }),
      'killed',
    ],
  ],
  'nothing is given up before its window ends': [
    ['a window with time left', change('refused', { windowEndsAt: 40_000 }), 'refused'],
  ],
  'without retries there is one attempt': [
    [
      'a second attempt',
      change('killed', {
        isRetried: false,
        attempts: [anAttempt(1, 2_000, { outcome: 'unknown' }), anAttempt(2, 25_000)],
      }),
      'killed',
    ],
  ],
  'of a print job one call at a time': [
    ['two calls of one print job that overlap', changeCall('one', { endedAt: 1_022 }), 'job'],
    [
      'a call that never ended',
      ({ calls, ...others }) => ({
        ...others,
        calls: calls.map((call) => (call.id === 'one' ? withoutEnd(call) : call)),
      }),
      'job',
    ],
  ],
  'where nothing fails, the callbacks of a print job arrive in order': [
    ['the second before the first', changeCall('two', { arrivedAt: 990, endedAt: 995 }), 'job'],
  ],
  'strict order goes one after another': [
    [
      'a call before the one before had ended',
      changeCall('next', { arrivedAt: 5_010 }),
      'contract',
    ],
  ],
  'an origin is called within its limits': [
    ['nine calls at a time', addCrowd(9, { at: 40_000, windowEndsAt: 60_000 }), origin],
    ['33 last calls at a time', addCrowd(33, { at: 40_000, windowEndsAt: 40_000 }), origin],
  ],
}
const rows = Object.entries(broken).flatMap(([rule, faults]) =>
  faults.map(([what, doctor, subject]) => ({ rule, what, doctor, subject })),
)

test.each(rows)('$rule: $what', ({ rule, doctor, subject }) => {
  const found = checkDeliveries(doctor(goodDeliveries()))

  expect(found.filter((finding) => finding.rule === rule)).toEqual([
    { rule, subject, detail: expect.any(String) },
  ])
})

test.each([
  { what: 'eight calls at a time', count: 8, windowEndsAt: 60_000 },
  { what: '32 last calls at a time', count: 32, windowEndsAt: 40_000 },
])('an origin may get $what', ({ count, windowEndsAt }) => {
  expect(checkDeliveries(addCrowd(count, { at: 40_000, windowEndsAt })(goodDeliveries()))).toEqual(
    [],
  )
})

test('a resumed process may make one late call, and no other', () => {
  const frozen: Deliveries = { ...goodDeliveries(), thaws: [30_000] }
  const rule = 'nothing is called after its end'
  const lateCalls = (...calls: ReceivedCall[]) =>
    checkDeliveries(addCalls(...calls)(frozen)).filter((finding) => finding.rule === rule)

  expect(lateCalls(aCall('one', 30_100))).toEqual([])
  expect(lateCalls(aCall('one', 30_100), aCall('two', 30_200))).toHaveLength(1)
  expect(lateCalls(aCall('one', 31_100))).toHaveLength(1)
})

function withoutEnd({ endedAt: _, ...call }: ReceivedCall): ReceivedCall {
  return call
}
