import { isDeepStrictEqual } from 'node:util'
import { type AttemptOutcome, attemptOutcomes } from '@despatch/domain/callback/attempt-outcome'
import { callbackEndReasons, callbackStates } from '@despatch/domain/callback/callback-state'
import { type AttemptResult, planNextAttempt } from '@despatch/domain/callback/retry'
import { printJobNotes } from '@despatch/domain/print-job/note'
import { isFinal, printJobStatuses, transitions } from '@despatch/domain/print-job/status'
import {
  type DocumentOutcome,
  type DocumentProgress,
  documentOutcomes,
  isPostable,
  isPostableOnBehalf,
  isReprintable,
  judgeItemEvent,
} from '@despatch/domain/print-run/document-progress'
import { type ItemEventType, itemEventTypes } from '@despatch/domain/print-run/item-event'
import {
  isInProduction,
  printRunStates,
  type ReconciliationCounts,
  stateAfterAcknowledgement,
  stateOfWork,
} from '@despatch/domain/print-run/state'
import { describe, expect, test } from 'vitest'
import {
  evaluate,
  findTypeErrors,
  readSpecification,
  type Specification,
  simulate,
} from './quint.ts'

const printJob = readSpecification('print-job')
const printRun = readSpecification('print-run')
const callback = readSpecification('callback')

/** docs/model.md describes how to run longer and other walks. */
const walk = {
  traces: Number(process.env.MODEL_TRACES ?? 60),
  steps: 30,
  seed: BigInt(process.env.MODEL_SEED ?? 2026),
}

const sorted = (values: unknown) => (values as string[]).toSorted()

test.each([printJob, printRun, callback])('the module $module is well typed', (specification) => {
  expect(findTypeErrors(specification)).toEqual([])
})

describe('the model and the code of print jobs agree on', () => {
  const model = evaluate(printJob, {
    moves: 'moves.map(move => (move.name, move.before, move.to))',
    ends: 'ends',
    notes: 'notes',
  })

  test('statuses and moves', () => {
    const rows = model.moves as [string, string[], string][]
    const moves = rows.map(([name, from, to]) => ({ name, from: from.toSorted(), to }))

    expect(moves.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual(
      Object.entries(transitions)
        .map(([name, { from, to }]) => ({ name, from: from.toSorted(), to }))
        .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    )
    expect(sorted(model.ends)).toEqual(printJobStatuses.filter(isFinal).toSorted())
  })

  test('notes', () => {
    expect(sorted(model.notes)).toEqual(printJobNotes.toSorted())
  })
})

describe('the model and the code of print runs agree on', () => {
  const model = evaluate(printRun, {
    states: 'states',
    inProduction: 'inProduction',
    types: 'types',
    outcomes: 'outcomes',
    accounts: `tuples(0.to(3), 0.to(2), 0.to(1), 0.to(1), 0.to(1), 0.to(3))
      .map(t => { expected: t._1, despatched: t._2, refused: t._3, failed: t._4, recalled: t._5, posted: t._6 })
      .map(account => (account, stateOfWork(account)))`,
    acknowledgements:
      'tuples(1.to(3), 0.to(3)).map(t => (t._1, t._2, stateAfterAcknowledgement(t._1, t._2)))',
    judgements: `tuples(1.to(2), 1.to(3), ranks.keys(), outcomes.union(Set("")), types, 0.to(4), Set(true, false)).map(t => {
      val standing = { firstAttempt: t._1, attempt: t._2, progress: t._3, outcome: t._4 }
      {
        standing: standing, kind: t._5, attempt: t._6, isKnown: t._7, judged: judge(standing, t._5, t._6, t._7),
        may: (isPostable(standing), isPostableOnBehalf(standing), isReprintable(standing))
      }
    })`,
  })

  test('states, events and outcomes', () => {
    expect(sorted(model.states)).toEqual(printRunStates.toSorted())
    expect(sorted(model.inProduction)).toEqual(printRunStates.filter(isInProduction).toSorted())
    expect(sorted(model.types)).toEqual(itemEventTypes.toSorted())
    expect(sorted(model.outcomes)).toEqual(documentOutcomes.toSorted())
  })

  test('the state for every reconciliation of up to three documents', () => {
    const rows = model.accounts as [ReconciliationCounts, string][]

    expect(rows).toHaveLength(4 * 3 * 2 * 2 * 2 * 4)
    expect(rows.filter(([account, state]) => state !== stateOfWork(account))).toEqual([])
  })

  test('the state after an acknowledgement', () => {
    const rows = model.acknowledgements as [number, number, string][]

    expect(rows).toHaveLength(3 * 4)
    expect(
      rows.filter(
        ([documentCount, refusedCount, state]) =>
          state !== stateAfterAcknowledgement({ documentCount, refusedCount }),
      ),
    ).toEqual([])
  })

  test('the effect of every event on every document', () => {
    const rows = model.judgements as JudgedRow[]
    const different = rows.filter((row) => {
      const standing = toStanding(row.standing)
      const reported = new Set(row.isKnown ? [row.kind] : [])
      const judged = judgeItemEvent(standing, { type: row.kind, attempt: row.attempt }, reported)
      const wanted =
        judged.kind === 'refuse' ? [judged.reason, standing] : [judged.kind, judged.standing]
      const may = [isPostable(standing), isPostableOnBehalf(standing), isReprintable(standing)]
      const said = [row.judged.kind, toStanding(row.judged.standing)]
      return !isDeepStrictEqual([said, row.may], [wanted, may])
    })

    expect(rows).toHaveLength(2 * 3 * 5 * 5 * 6 * 5 * 2)
    expect(different.slice(0, 3)).toEqual([])
  })
})

type ModelStanding = { firstAttempt: number; attempt: number; progress: string; outcome: string }
type JudgedRow = {
  standing: ModelStanding
  kind: ItemEventType
  attempt: number
  isKnown: boolean
  judged: { kind: string; standing: ModelStanding }
  may: unknown
}

function toStanding({ firstAttempt, attempt, progress, outcome }: ModelStanding) {
  return {
    firstAttempt,
    attempt,
    progress: (progress || null) as DocumentProgress | null,
    outcome: (outcome || null) as DocumentOutcome | null,
  }
}

describe('the model and the code of callbacks agree on', () => {
  const results: [AttemptOutcome, AttemptResult][] = [
    ['delivered', { kind: 'answered', httpStatus: 204 }],
    ['refused', { kind: 'answered', httpStatus: 404 }],
    ['refused', { kind: 'answered', httpStatus: 429 }],
    ['refused', { kind: 'answered', httpStatus: 503 }],
    ['redirect', { kind: 'answered', httpStatus: 302 }],
    ['gone', { kind: 'answered', httpStatus: 410 }],
    ['unsendable', { kind: 'unsendable' }],
    ['connection_refused', { kind: 'unreached' }],
    ['blocked_address', { kind: 'unreached' }],
    ['unknown', { kind: 'unknown' }],
  ]
  const windows = [
    [false, { enabled: true, maxRetryWindow: 60 }],
    [true, { enabled: true, maxRetryWindow: 1 }],
    [true, { enabled: false }],
  ] as const
  const follow = results.flatMap(([outcome, result]) =>
    windows.map(([isPast, retryParams]) => {
      const next = planNextAttempt({
        result,
        retryParams,
        attempts: 1,
        owedSince: new Date(0),
        firstAttemptAt: new Date(0),
        finishedAt: new Date(5_000),
        random: 0.5,
      })
      const states = { delivered: 'DELIVERED', retry: 'DUE', postpone: 'DUE', abandon: 'DEAD' }
      const reason = next.kind === 'abandon' ? next.reason : ''
      return `("${outcome}", ${isPast}, "${states[next.kind]}", "${reason}")`
    }),
  )
  const model = evaluate(callback, {
    states: 'states',
    endReasons: 'endReasons',
    outcomes: 'outcomes',
    unforeseen: `Set(${follow}).filter(t => not(mayFollow(t._1, t._2, t._3, t._4)))`,
  })

  test('states, reasons and outcomes', () => {
    expect(sorted(model.states)).toEqual(callbackStates.toSorted())
    expect(sorted(model.endReasons)).toEqual(callbackEndReasons.toSorted())
    expect(sorted(model.outcomes)).toEqual(attemptOutcomes.toSorted())
  })

  test('the step after an attempt', () => {
    expect(model.unforeseen).toEqual([])
  })
})

describe('the invariants hold', () => {
  test.each([printJob, printRun, callback])('on random walks of $module', (specification) => {
    const outcome = simulate(specification, walk)

    expect(outcome).toMatchObject({ status: 'ok' })
    expect(outcome.longestTrace).toBeGreaterThan(15)
  })

  test('in every possible timeline', () => {
    const walked = evaluate(printJob, {
      isAll: 'reachLives(14) == reachLives(15)',
      wrong: `reachLives(15).filter(life => or {
        life.owed != if (ends.contains(life.status)) List(life.status) else List(),
        life.isDeleted and life.isProduced,
        life.isParked and not(checked.contains(life.status)),
      })`,
    })

    expect(walked).toEqual({ isAll: true, wrong: [] })
  })

  test.each([
    [printJob, 6],
    [callback, 4],
  ] as const)('in every state of $module within few steps', (specification, steps) => {
    const { wrong } = evaluate(specification, {
      wrong: `reach(${steps}).filter(each => not(holds(each)))`,
    })

    expect(wrong).toEqual([])
  })
})

type Mutation = [what: string, specification: Specification, from: string, to: string]

test.each<Mutation>([
  [
    'a worker that was overtaken may write',
    printJob,
    '    world.workers.get(worker) == world.epoch,\n',
    '',
  ],
  [
    'a deletion leaves the document in its run',
    printJob,
    'not(Set("hold", "delete").contains(name))',
    'not(Set("hold").contains(name))',
  ],
  [
    'a hold leaves the document in its run',
    printJob,
    'not(Set("hold", "delete").contains(name))',
    'not(Set("delete").contains(name))',
  ],
  [
    'a despatched letter may be rejected',
    printJob,
    'Set("QUARANTINE", "VALIDATING", "PENDING", "PRODUCTION")',
    'Set("QUARANTINE", "VALIDATING", "PENDING", "PRODUCTION", "DESPATCHED")',
  ],
  [
    'a document that is not spoiled may be printed again',
    printRun,
    'standing.outcome == "" and standing.progress == "SPOILED"',
    'standing.outcome == ""',
  ],
  [
    'a run may be moved after its acknowledgement',
    printRun,
    '    printRun.state == "CLAIMED",\n',
    '    Set("CLAIMED", "IN_PRODUCTION").contains(printRun.state),\n',
  ],
  [
    'a run may be closed while documents are missing',
    printRun,
    'printRun.isClaimed and missing(reconciliationCountsOf(printRun)) == 0 and',
    'printRun.isClaimed and',
  ],
  [
    'a spoiled document stays in its posting',
    printRun,
    'each.isPosted and not(Set("SPOILED", "FAILED").contains(step.kind))',
    'each.isPosted',
  ],
  [
    'a process whose lease has ended may record',
    callback,
    '      world.callbacks.get(held.id).epoch == held.epoch,\n',
    '',
  ],
  [
    'two callbacks of a lane may be under way',
    callback,
    '    ids.forall(other => world.callbacks.get(other).holder == "nobody"),\n',
    '',
  ],
  [
    'a delivered callback may be sent again by itself',
    callback,
    'if (outcome == "delivered") state == "DELIVERED"',
    'if (outcome == "delivered") Set("DELIVERED", "DUE").contains(state)',
  ],
])('a changed model violates an invariant: %s', (_what, { module, text }, from, to) => {
  expect(text.split(from)).toHaveLength(2)

  expect(
    simulate({ module, text: text.replace(from, to) }, { ...walk, traces: 500 }),
  ).toMatchObject({ status: 'violation' })
})
