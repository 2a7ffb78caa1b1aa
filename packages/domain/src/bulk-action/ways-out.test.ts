import { walkStates } from '@despatch/testing/walk-states'
import { expect, test } from 'vitest'
import { printJobStatuses } from '../print-job/status.ts'
import {
  type BulkActionFacts,
  type BulkActionKind,
  type BulkItemFacts,
  type BulkItemOutcome,
  bulkActionKinds,
  bulkActionState,
  bulkActionStates,
  bulkItemOutcomes,
  confirmWithinSeconds,
  decideConfirmation,
  decideStop,
  whyNotNow,
} from './bulk-action.ts'

/** Null: the print job was retired. */
type PrintJob = BulkItemFacts | null
/** `outcome`: null until it is its turn. */
type Item = { printJob: PrintJob; outcome: BulkItemOutcome | null }
/** Of two print jobs: one to which things happen, and one for which the action fails each time if `isIll`. */
type Action = Pick<BulkActionFacts, 'state' | 'needsSecondPerson'> & {
  kind: BulkActionKind
  isLate: boolean
  isIll: boolean
  items: readonly [Item, Item]
}

const plannedAt = new Date('2026-03-02T10:00:00Z')
const plan = { plannedAt, plannedBy: 'one', digest: '0', printJobCount: 2 }
const nowOf = ({ isLate }: Action) =>
  new Date(plannedAt.getTime() + (isLate ? confirmWithinSeconds * 1_000 : 0))
const stateOf = (action: Action) => bulkActionState({ ...plan, ...action }, nowOf(action))
const isEnd = (action: Action) => ['EXPIRED', 'STOPPED', 'ENDED'].includes(stateOf(action))

const pending: BulkItemFacts = {
  status: 'PENDING',
  isDeleted: false,
  isHeld: false,
  heldBy: null,
  isParked: false,
  isPurged: false,
}
/** What consumers, providers, operators and the pipeline may make of a print job meanwhile. */
const printJobs: readonly PrintJob[] = [
  ...printJobStatuses.map((status): PrintJob => ({ ...pending, status })),
  { ...pending, status: 'QUARANTINE', isParked: true },
  { ...pending, isHeld: true, heldBy: 'consumer' },
  { ...pending, isHeld: true, heldBy: 'operator' },
  { ...pending, isDeleted: true },
  { ...pending, status: 'DESPATCHED', isPurged: true },
  null,
]

const both = [true, false]
const starts = bulkActionKinds.flatMap((kind) =>
  both.flatMap((needsSecondPerson) =>
    both.map((isIll): Action => {
      const item: Item = { printJob: pending, outcome: null }
      return {
        kind,
        needsSecondPerson,
        isIll,
        state: 'PLANNED',
        isLate: false,
        items: [item, item],
      }
    }),
  ),
)
const walked = walkStates<Action>({
  starts,
  moves: (action) => (isEnd(action) ? [] : movesOf(action)),
  isReliable: (name) => !name.startsWith('others'),
  isEnd,
})

test('an operator and the runner bring a bulk action from every state to an end', () => {
  expect(walked.stuck).toEqual([])
})

test('every print job of a bulk action that ended after its start has an outcome', () => {
  const open = walked.states.filter(
    (action) =>
      ['STOPPED', 'ENDED'].includes(stateOf(action)) &&
      action.items.some(({ outcome }) => outcome === null),
  )

  expect(open).toEqual([])
})

test('the walk visits every state and makes every move', () => {
  const outcomes = walked.states.flatMap(({ items }) => items.map(({ outcome }) => outcome))

  expect([...new Set(walked.states.map(stateOf))].toSorted()).toEqual(bulkActionStates.toSorted())
  expect([...new Set(outcomes)].filter((outcome) => outcome !== null).toSorted()).toEqual(
    bulkItemOutcomes.toSorted(),
  )
  expect(walked.moves).toEqual([
    ...['a day passes', 'operator confirm', 'operator stop', 'others change a print job'],
    ...[...bulkActionKinds.map((kind) => `runner ${kind}`), 'runner end'].toSorted(),
  ])
})

function movesOf(action: Action): [string, Action][] {
  const facts = { ...plan, ...action }
  const now = nowOf(action)
  const moves: [string, Action][] = printJobs.map((printJob) => [
    'others change a print job',
    withItem(action, 0, { ...action.items[0], printJob }),
  ])
  if (action.state === 'PLANNED') moves.push(['a day passes', { ...action, isLate: true }])
  for (const confirmedBy of ['one', 'two']) {
    const { kind } = decideConfirmation(facts, { ...plan, confirmedBy }, now)
    if (kind === 'confirm') moves.push(['operator confirm', { ...action, state: 'RUNNING' }])
  }
  if (decideStop(facts, now).kind === 'stop') moves.push(['operator stop', stopped(action)])
  return action.state === 'RUNNING' ? [...moves, ...movesOfRunner(action)] : moves
}

/** The print jobs that were not begun are left as they are. */
function stopped(action: Action): Action {
  const [one, other] = action.items.map((item) => ({
    ...item,
    outcome: item.outcome ?? ('not-begun' as const),
  }))
  return { ...action, state: 'STOPPED', items: [one!, other!] }
}

/** The runner acts on the print jobs one by one, and ends an action that has none left. */
function movesOfRunner(action: Action): [string, Action][] {
  const { kind, isIll, items } = action
  if (items.every(({ outcome }) => outcome !== null)) {
    return [['runner end', { ...action, state: 'ENDED' }]]
  }
  return items.flatMap((item, place): [string, Action][] => {
    if (item.outcome !== null || (isIll && place === 1)) return []
    return [[`runner ${kind}`, withItem(action, place, acted(kind, item.printJob))]]
  })
}

function acted(kind: BulkActionKind, printJob: PrintJob): Item {
  if (!printJob) return { printJob, outcome: 'absent' }
  if (whyNotNow(kind, printJob) !== null) return { printJob, outcome: 'refused' }
  const changes = {
    hold: { isHeld: true, heldBy: 'operator' },
    release: { isHeld: false, heldBy: null },
    cancel: printJob.isParked ? { status: 'REJECTED', isParked: false } : { isDeleted: true },
    redrive: { isParked: false },
  } satisfies Record<BulkActionKind, Partial<BulkItemFacts>>
  return { printJob: { ...printJob, ...changes[kind] }, outcome: 'done' }
}

function withItem(action: Action, place: number, item: Item): Action {
  const items = action.items.map((other, index) => (index === place ? item : other))
  return { ...action, items: [items[0]!, items[1]!] }
}
