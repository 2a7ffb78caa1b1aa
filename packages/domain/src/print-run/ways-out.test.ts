import { walkStates } from '@despatch/testing/walk-states'
import { expect, test } from 'vitest'
import { whyNotPossible } from '../operator-action/operator-action.ts'
import { printRunActions } from '../operator-action/print-run-actions.ts'
import { reprintActions } from '../operator-action/reprint-actions.ts'
import {
  type DocumentState,
  documentOutcomes,
  documentProgresses,
  isPostable,
  isReprintable,
  judgeItemEvent,
} from './document-progress.ts'
import { itemEventTypes } from './item-event.ts'
import { refusalOnBehalf } from './posting-on-behalf.ts'
import {
  isInProduction,
  type PrintRunState,
  printRunStates,
  type ReconciliationCounts,
  recallStates,
  reprintStates,
  stateAfterAcknowledgement,
  stateOfWork,
} from './state.ts'

/** A document, and what waits for an answer about it. */
type Document = DocumentState & {
  recall: (typeof recallStates)[number] | null
  reprint: (typeof reprintStates)[number] | null
  /** It is in a posting that is not confirmed. */
  isPosted: boolean
}
/** A run of two documents: one to which things happen, and one that stays as it is until the whole run moves. */
type Run = { state: PrintRunState; isRefusedAsWhole: boolean; documents: [Document, Document] }

const untouched: Document = {
  firstAttempt: 1,
  attempt: 1,
  progress: null,
  outcome: null,
  recall: null,
  reprint: null,
  isPosted: false,
}
/** Later attempts are like the third. */
const attemptsMax = 3
const gathered: Run = {
  state: 'OPEN',
  isRefusedAsWhole: false,
  documents: [untouched, untouched],
}
const isEnd = ({ state, documents }: Run) =>
  state === 'CLOSED' ||
  state === 'VOIDED' ||
  // nothing is left to report, print or decide
  (state === 'REFUSED' && documents.every(({ outcome }) => outcome !== null))

const walked = walkStates<Run>({
  starts: [gathered],
  moves: (run) => (isEnd(run) ? [] : [...movesOfRun(run), ...movesOfDocument(run)]),
  // the provider may have vanished
  isReliable: (name) => !name.startsWith('provider'),
  isEnd,
})

test('an operator can bring a run from every state to an end without its provider', () => {
  expect(walked.stuck).toEqual([])
})

test('no document waits for an answer when its run has ended', () => {
  const waiting = walked.states.filter(
    (run) =>
      isEnd(run) &&
      run.state !== 'VOIDED' &&
      run.documents.some(({ recall, reprint, isPosted, outcome }) => {
        return (recall === 'OPEN' || reprint === 'WAITING' || isPosted) && outcome === null
      }),
  )

  expect(waiting).toEqual([])
})

test('the walk visits every state and makes every move', () => {
  const documents = walked.states.flatMap((run) => run.documents)
  const visited = <Value>(values: readonly (Value | null)[]) =>
    [...new Set(values)].filter((value) => value !== null).toSorted()

  expect(visited(walked.states.map(({ state }) => state))).toEqual(printRunStates.toSorted())
  expect(visited(documents.map(({ outcome }) => outcome))).toEqual(documentOutcomes.toSorted())
  expect(visited(documents.map(({ progress }) => progress))).toEqual(documentProgresses.toSorted())
  // a recall of several documents is partly accepted if some were too late
  expect(visited(documents.map(({ recall }) => recall))).toEqual(
    recallStates.filter((state) => state !== 'PARTLY_ACCEPTED').toSorted(),
  )
  expect(visited(documents.map(({ reprint }) => reprint))).toEqual(reprintStates.toSorted())
  const operator = Object.keys(printRunActions).map((name) => `operator ${name}`)
  const events = itemEventTypes.filter((type) => type !== 'DIVERTED')
  expect(walked.moves).toEqual(
    expect.arrayContaining([...operator, ...events.map((type) => `provider ${type}`)]),
  )
})

function factsOf({ state, isRefusedAsWhole, documents }: Run) {
  const isAccountedFor = state !== 'OPEN' && documents.every(({ outcome }) => outcome !== null)
  return { state, isRefusedAsWhole, isAccountedFor, isEmpty: false }
}

function movesOfRun(run: Run): [string, Run][] {
  const { state, documents } = run
  const facts = factsOf(run)
  const may = (action: keyof typeof printRunActions) =>
    whyNotPossible(printRunActions[action], facts) === null
  const open = documents.filter(({ outcome }) => outcome === null)
  const moves: [string, Run][] = []
  if (state === 'OPEN') moves.push(['pipeline release', { ...run, state: 'RELEASED' }])
  if (may('release')) moves.push(['operator release', { ...run, state: 'RELEASED' }])
  if (state === 'RELEASED') moves.push(['provider claim', { ...run, state: 'CLAIMED' }])
  if (state === 'CLAIMED') moves.push(...acknowledgements(run))
  // a reassignment moves what has no outcome and is in no open recall
  if (may('move') && open.some(({ recall }) => recall !== 'OPEN')) {
    const claimed = state !== 'OPEN' && state !== 'RELEASED'
    moves.push(['operator move', { ...run, state: claimed ? 'VOIDED' : 'CLOSED' }])
  }
  if (may('recall')) moves.push(...recalls(run))
  const isClaimed = state !== 'OPEN' && state !== 'RELEASED'
  if (may('close') && isClaimed) moves.push(['operator close', { ...run, state: 'CLOSED' }])
  if (state === 'RECONCILED') moves.push(['provider close', { ...run, state: 'CLOSED' }])
  return moves
}

function acknowledgements(run: Run): [string, Run][] {
  const open = run.documents.flatMap(({ outcome }, place) => (outcome === null ? [place] : []))
  const refusing = [[], open.slice(0, 1), open].map((places): [string, Run] => {
    const documents = run.documents.map((document, place) =>
      places.includes(place) ? { ...document, outcome: 'REFUSED' } : document,
    ) as Run['documents']
    const counts = { documentCount: documents.length, refusedCount: places.length }
    const state = stateAfterAcknowledgement(counts)
    const isNothingLeft = documents.every(({ outcome }) => outcome !== null)
    const acknowledged = { ...run, documents, state }
    return ['provider acknowledge', isNothingLeft ? settled(acknowledged) : acknowledged]
  })
  const whole: Run = { ...run, state: 'REFUSED', isRefusedAsWhole: true }
  return [...refusing, ['provider refuse', whole]]
}

function recalls(run: Run): [string, Run][] {
  const isAsked = run.state !== 'OPEN' && run.state !== 'RELEASED' && !run.isRefusedAsWhole
  if (!isAsked) {
    const documents = run.documents.map((document) => ended(document, 'RECALLED'))
    const state = run.state === 'RELEASED' ? 'CLOSED' : run.state
    // a run that still gathers stays open for other letters, and is closed when it is released without any
    const next = run.state === 'OPEN' ? 'CLOSED' : state
    return [['operator recall', { ...run, documents: documents as Run['documents'], state: next }]]
  }
  const documents = run.documents.map((document) =>
    document.outcome === null ? { ...document, recall: 'OPEN' } : document,
  ) as Run['documents']
  return [['operator recall', { ...run, documents }]]
}

/** What may happen to the first document, and what operators do with both. */
function movesOfDocument(run: Run): [string, Run][] {
  const moves: [string, Document][][] = run.documents.map((document) => [
    ...answers(document),
    ...(isInProduction(run.state) ? inProduction(document) : []),
  ])
  const [first, second] = run.documents
  const isReliable = ([name]: [string, Document]) => !name.startsWith('provider')
  return [
    ...moves[0]!.map(([name, to]): [string, Run] => [
      name,
      settled({ ...run, documents: [to, second] }),
    ]),
    ...moves[1]!
      .filter(isReliable)
      .map(([name, to]): [string, Run] => [name, settled({ ...run, documents: [first, to] })]),
  ]
}

function answers(document: Document): [string, Document][] {
  if (document.recall !== 'OPEN') return []
  const stopped: Document = { ...ended(document, 'RECALLED'), recall: 'ACCEPTED' }
  return [
    ['provider accept the recall', stopped],
    ['provider reject the recall', { ...document, recall: 'REJECTED' }],
    ['operator settle', stopped],
    ['operator settle as too late', { ...document, recall: 'REJECTED' }],
  ]
}

function inProduction(document: Document): [string, Document][] {
  const { outcome, attempt, recall, reprint, isPosted } = document
  const moves: [string, Document][] = []
  for (const type of itemEventTypes) {
    const judged = judgeItemEvent(document, { type, attempt }, new Set())
    if (judged.kind !== 'apply') continue
    const isOut = judged.standing.outcome !== null || judged.standing.progress === 'SPOILED'
    const next = { ...document, ...judged.standing, isPosted: isPosted && !isOut }
    moves.push([`provider ${type}`, next.outcome ? ended(next, next.outcome) : next])
  }
  if (isReprintable(document) && reprint !== 'WAITING' && attempt < attemptsMax) {
    moves.push(['provider ask for a reprint', { ...document, reprint: 'WAITING' }])
  }
  if (reprint === 'WAITING' && outcome === null) moves.push(...decisions(document))
  if (isPostable(document) && !isPosted) {
    moves.push(['provider save a posting', { ...document, isPosted: true }])
  }
  if (isPosted) moves.push(['provider confirm the posting', ended(document, 'DESPATCHED')])
  const asked = recall === 'OPEN' ? 'OPEN' : recall === 'REJECTED' ? 'TOO_LATE' : null
  if (!refusalOnBehalf(document, { recall: asked, isProviderAbsent: true })) {
    moves.push(['operator post', ended(document, 'DESPATCHED')])
  }
  return moves
}

function decisions(document: Document): [string, Document][] {
  const facts = { state: 'WAITING', isOwn: false } as const
  const { attempt } = document
  return [
    ...(whyNotPossible(reprintActions.authorise, facts) === null
      ? [
          [
            'operator authorise',
            { ...document, reprint: 'AUTHORISED', attempt: attempt + 1, progress: null },
          ] satisfies [string, Document],
        ]
      : []),
    ...(whyNotPossible(reprintActions.refuse, facts) === null
      ? [['operator refuse', ended(document, 'FAILED')] satisfies [string, Document]]
      : []),
  ]
}

/** A document with its outcome waits for nothing. */
function ended(document: Document, outcome: NonNullable<Document['outcome']>): Document {
  if (document.outcome !== null && document.outcome !== outcome) return document
  const reprint = document.reprint === 'WAITING' ? 'REFUSED' : document.reprint
  return { ...document, outcome, reprint, isPosted: false }
}

/** The state that follows from the documents of an acknowledged run. */
function settled(run: Run): Run {
  if (!isInProduction(run.state)) return run
  const count = (outcome: Document['outcome']) =>
    run.documents.filter((document) => document.outcome === outcome).length
  const account: ReconciliationCounts = {
    expected: run.documents.length,
    despatched: count('DESPATCHED'),
    refused: count('REFUSED'),
    failed: count('FAILED'),
    recalled: count('RECALLED'),
    posted: run.documents.filter(({ isPosted, outcome }) => isPosted && outcome === null).length,
  }
  return { ...run, state: stateOfWork(account) }
}
