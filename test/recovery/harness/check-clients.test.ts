import { expect, test } from 'vitest'
import { type ClientFacts, checkClients, type Rule } from '../../faults/checks/check-clients.ts'
import type { HistoryLine, LetterKind } from '../../faults/facts/client-history.ts'
import type { NewCallback } from '../../faults/facts/deliveries.ts'
import type { KeptLetter } from '../../faults/facts/kept-letters.ts'

type Answer = { at: number; tookMs?: number; status?: number; hasRetryAfter?: boolean }

const withKey: LetterKind = { files: 'none', hasKey: true, isPatient: true, isCalledBack: true }
const withoutKey: LetterKind = { ...withKey, hasKey: false }
const impatient: LetterKind = { ...withKey, files: 'inline', isPatient: false }
const refused = { status: 503, hasRetryAfter: true }

function asked(
  id: string,
  { at, tookMs = 10, ...answer }: Answer,
  { operation, letter }: Pick<HistoryLine, 'operation' | 'letter'>,
): HistoryLine[] {
  const line = { process: `client ${id}`, operation, id }
  const { status } = answer
  const type =
    status === undefined || status === 500 ? 'unknown' : status < 300 ? 'ok' : ('fail' as const)
  return [
    { ...line, time: at, type: 'invoke', ...(letter && { letter }) },
    { ...line, time: at + tookMs, type, ...answer },
  ]
}

const posted = (id: string, letter: LetterKind, ...answers: Answer[]) =>
  answers.flatMap((answer) => asked(id, answer, { operation: 'post', letter }))

const away = (id: string, from: number, to: number): HistoryLine[] => [
  { time: from, process: 'nemesis', type: 'invoke', operation: 'outage', id },
  { time: to, process: 'nemesis', type: 'ok', operation: 'outage', id },
]

const steps = (...transitions: string[]) =>
  transitions.map((transition, index) => ({ sequence: index + 1, transition }))

function kept(id: string, detail: Partial<KeptLetter> = {}): KeptLetter {
  return {
    id,
    status: 'PENDING',
    isParked: false,
    isDeleted: false,
    submittedAt: 5_000,
    pendingAt: 12_000,
    despatchedAt: null,
    timeline: steps('submit', 'release', 'accept'),
    callbacks: ['1 VALIDATING', '2 PENDING'],
    ...detail,
  }
}

/** The object store is away from 4,000 to 10,000, and PostgreSQL from 6,000 to 7,000. */
function aGoodHistory() {
  const history = {
    lines: [
      ...away('object-store', 4_000, 10_000),
      ...away('database', 6_000, 7_000),
      ...posted('plain', withKey, { at: 5_000, status: 202 }),
      // the post that was answered 503 was saved, but the service could not know that then
      ...posted('doubted', withoutKey, { at: 5_990, ...refused }, { at: 8_000, status: 409 }),
      ...posted('repeated', withKey, { at: 6_100 }, { at: 7_500, status: 202 }),
      ...posted('waiting', withKey, { at: 4_500, ...refused }, { at: 11_000, status: 202 }),
      ...posted('gone', impatient, { at: 4_500, ...refused }),
      ...asked('plain', { at: 9_000, status: 200 }, { operation: 'read' }),
      // the object store is not part of Despatch
      ...asked('plain', { at: 9_100, status: 500 }, { operation: 'fill-upload' }),
    ],
    kept: ['plain', 'doubted', 'repeated', 'waiting'].map((id) => kept(id)),
    callbacks: [],
    goal: 'PENDING',
    endedAt: 10_000,
    recoveryMsMax: 5_000,
    callbackStatuses: ['VALIDATING', 'PENDING'],
  } satisfies ClientFacts
  return history as Omit<ClientFacts, 'lines' | 'kept' | 'goal'> & {
    lines: HistoryLine[]
    kept: KeptLetter[]
    goal: ClientFacts['goal']
  }
}

const change = (id: string, detail: Partial<KeptLetter>) => (history: { kept: KeptLetter[] }) => {
  history.kept = history.kept.map((letter) =>
    letter.id === id ? { ...letter, ...detail } : letter,
  )
}
const add =
  (...lines: HistoryLine[]) =>
  (history: { lines: HistoryLine[] }) =>
    void history.lines.push(...lines)

test('an outage that only cost time has no findings', () => {
  expect(checkClients(aGoodHistory())).toEqual([])
})

test('a letter in production counts as having been PENDING', () => {
  const history = aGoodHistory()
  const timeline = steps('submit', 'release', 'accept', 'produce', 'print')
  change('plain', { status: 'PRODUCTION', timeline })(history)

  expect(checkClients(history)).toEqual([])
})

test('with the goal DESPATCHED, a letter is late until it is despatched', () => {
  const history = { ...aGoodHistory(), goal: 'DESPATCHED' as const }
  history.kept = history.kept.map((letter) => ({ ...letter, despatchedAt: 14_000 }))
  expect(checkClients(history)).toEqual([])

  history.kept = history.kept.map((letter) => ({ ...letter, despatchedAt: null }))
  const rules = checkClients(history).map(({ rule }) => rule)
  expect(new Set(rules)).toEqual(new Set(['every letter reaches its goal in time']))
})

test('the time limit of a letter accepted after the outage starts at its acceptance', () => {
  const history = aGoodHistory()
  change('waiting', { submittedAt: 14_000, pendingAt: 18_000 })(history)

  expect(checkClients(history)).toEqual([])
})

test('a letter is not late while others before it reach their goals one after the other', () => {
  const history = aGoodHistory()
  change('plain', { pendingAt: 17_000 })(history)
  change('doubted', { pendingAt: 22_000 })(history)
  change('repeated', { pendingAt: 27_000 })(history)

  expect(checkClients(history)).toEqual([])
})

const aDeadCallback: NewCallback = {
  id: 'dead',
  printJobKey: 'key',
  sequence: 1,
  strictContractId: null,
  isRetried: true,
  sha256: 'aa',
  state: 'DEAD',
  endReason: 'gone',
  attemptCount: 0,
  owedSince: 12_000,
  windowEndsAt: 90_000,
  endedAt: 13_000,
  attempts: [],
}

type Plant = (history: ReturnType<typeof aGoodHistory>) => void
/** For each rule, what breaks it. */
const planted: Record<Rule, Record<string, Plant>> = {
  'what is accepted is kept': {
    'a letter that was accepted and is gone': (history) => void history.kept.shift(),
  },
  'what is refused is not kept': {
    'a letter that was refused and is there': (history) => void history.kept.push(kept('gone')),
  },
  'what is kept was posted': {
    'a letter that no client posted': (history) => void history.kept.push(kept('unheard of')),
  },
  'a letter is kept once': {
    'a letter in two rows': (history) => void history.kept.push(kept('plain')),
  },
  'no letter is parked': {
    'a letter that is parked': change('plain', { isParked: true }),
    'a letter that an operator has redriven': change('plain', {
      timeline: steps('submit', 'park', 'redrive', 'release', 'accept'),
    }),
  },
  'no letter is rejected': {
    'a letter that is rejected': change('plain', { status: 'REJECTED' }),
  },
  'every letter reaches its goal in time': {
    'a letter that nothing wakes': change('plain', {
      status: 'QUARANTINE',
      pendingAt: null,
      callbacks: [],
      timeline: steps('submit'),
    }),
    'a letter that is late': change('plain', { pendingAt: 17_001 }),
    'a letter that is late after the others': (history) => {
      change('plain', { pendingAt: 16_000 })(history)
      change('waiting', { pendingAt: 21_001 })(history)
    },
  },
  'every letter goes its way once': {
    'a step that was made twice': change('plain', {
      timeline: steps('submit', 'release', 'accept', 'accept'),
    }),
    'a step that is missing': change('plain', {
      callbacks: [],
      timeline: steps('submit', 'accept'),
    }),
    'a number that is left out': change('plain', {
      timeline: steps('submit', 'release', 'accept').slice(1),
    }),
  },
  'no 409 is false': {
    'a first post whose id is taken': add(
      ...posted('plain again', withKey, { at: 8_000, status: 409 }),
    ),
    'a repetition with its Idempotency-Key whose id is taken': add(
      ...posted('keyed', withKey, { at: 6_100 }, { at: 8_000, status: 409 }),
    ),
    'a letter that was saved and answered 503 while the database was there': add(
      ...posted('surprised', withoutKey, { at: 8_000, ...refused }, { at: 9_000, status: 409 }),
    ),
  },
  'no answer is 500': {
    'a 500': add(
      ...posted('plain', withKey, { at: 6_500, status: 500 }, { at: 7_500, status: 202 }),
    ),
  },
  'a 503 says when to come again': {
    'a 503 without Retry-After': add(
      ...posted('plain', withKey, { at: 6_500, ...refused, hasRetryAfter: false }),
      ...posted('plain', withKey, { at: 7_500, status: 202 }),
    ),
  },
  'nothing else is refused': {
    'an upload that was filled and is not found': add(
      ...posted('plain', withKey, { at: 6_500, status: 404 }),
    ),
    'an accepted letter that cannot be read': add(
      ...asked('plain', { at: 9_500, status: 404 }, { operation: 'read' }),
    ),
  },
  'every letter comes to an answer': {
    'a letter that is refused to the end': add(
      ...posted('plain', withKey, { at: 11_000, ...refused }),
    ),
    'a letter whose last question has no answer': add(
      ...posted('plain', withKey, { at: 11_000, status: 202 }).slice(0, 1),
    ),
    'a letter whose upload never gets through': add(
      ...asked('uploading', { at: 9_500 }, { operation: 'fill-upload' }),
    ),
  },
  'each status owes one callback': {
    'a callback that is owed twice': change('plain', {
      callbacks: ['1 VALIDATING', '2 PENDING', '3 PENDING'],
    }),
    'a callback that is not owed': change('plain', { callbacks: ['1 VALIDATING'] }),
    'a callback that was not asked for': (history) => {
      const silent = { ...withKey, isCalledBack: false }
      history.lines.push(...posted('silent', silent, { at: 8_000, status: 202 }))
      history.kept.push(kept('silent'))
    },
  },
  'what is answered deleted is deleted, and nothing else': {
    'a letter that is printed although it was answered deleted': add(
      ...asked('plain', { at: 9_500, status: 204 }, { operation: 'delete' }),
    ),
    'a letter that is deleted although its client was refused': (history) => {
      history.lines.push(...asked('plain', { at: 9_500, status: 409 }, { operation: 'delete' }))
      change('plain', { isDeleted: true })(history)
    },
  },
  'every callback is delivered': {
    'a callback that is dead': (history) => {
      history.callbacks = [aDeadCallback]
    },
  },
}
const rows = Object.entries(planted).flatMap(([rule, faults]) =>
  Object.entries(faults).map(([fault, plant]) => ({ rule, fault, plant })),
)

test.each(rows)('finds $fault', ({ rule, plant }) => {
  const history = aGoodHistory()
  plant(history)

  expect([...new Set(checkClients(history).map((finding) => finding.rule))]).toEqual([rule])
})
