import { walkStates } from '@despatch/testing/walk-states'
import { expect, test } from 'vitest'
import { whyNotPossible } from '../operator-action/operator-action.ts'
import { type PrintJobFacts, printJobActions } from '../operator-action/print-job-actions.ts'
import { isFinal, printJobStatuses, statusAfter, type Transition, transitions } from './status.ts'

/** `isIll`: its step fails each time, and nobody can put that right. */
type Letter = PrintJobFacts & { isIll: boolean }

const submitted: Letter = {
  status: 'QUARANTINE',
  isDeleted: false,
  isHeld: false,
  isHeldByOperator: false,
  isParked: false,
  isPurged: false,
  isInPrintRun: false,
  isAsSupplied: false,
  isIll: false,
}
const isEnd = ({ status, isDeleted }: Letter) => isDeleted || isFinal(status)

test('an operator and the timers bring a print job from every state to an end', () => {
  const { states, moves, stuck } = walkStates({
    starts: [submitted, { ...submitted, isIll: true }],
    moves: (letter) => (isEnd(letter) ? [] : movesOf(letter)),
    isReliable: (name) => !name.startsWith('provider'),
    isEnd,
  })

  expect(stuck).toEqual([])
  expect([...new Set(states.map(({ status }) => status))].toSorted()).toEqual(
    printJobStatuses.toSorted(),
  )
  for (const transition of Object.keys(transitions)) {
    expect(moves.some((name) => name.endsWith(` ${transition}`))).toBe(true)
  }
})

function movesOf(letter: Letter): [string, Letter][] {
  return [...movesOfPipeline(letter), ...movesOfOperator(letter), ...movesInPrintRun(letter)]
}

function after(letter: Letter, transition: Transition): Letter[] {
  const status = statusAfter(letter.status, transition)
  return status ? [{ ...letter, status, isParked: false }] : []
}

/** The pipeline checks letters that are not parked, and gathers those that are not held. */
function movesOfPipeline(letter: Letter): [string, Letter][] {
  const { status, isParked, isIll, isHeld } = letter
  const isChecked = status === 'QUARANTINE' || status === 'VALIDATING'
  if (isChecked && isParked) return []
  if (isChecked && isIll) return [['pipeline park', { ...letter, isParked: true }]]
  if (isChecked) {
    const names = ['release', 'accept', 'reject'] as const
    return names.flatMap((name) =>
      after(letter, name).map((to): [string, Letter] => [`pipeline ${name}`, to]),
    )
  }
  if (status !== 'PENDING' || isHeld) return []
  return [['pipeline gather', { ...letter, isInPrintRun: true }]]
}

/** What an operator may do is what the declared actions allow. */
function movesOfOperator(letter: Letter): [string, Letter][] {
  const outcomes = {
    hold: { isHeld: true, isHeldByOperator: true, isInPrintRun: false },
    release: { isHeld: false, isHeldByOperator: false },
    cancel: letter.isParked
      ? { status: statusAfter(letter.status, 'reject')!, isParked: false }
      : { isDeleted: true, isInPrintRun: false },
    redrive: { isParked: false },
    'override-address': {},
  } satisfies Record<keyof typeof printJobActions, Partial<Letter>>
  return Object.entries(outcomes).flatMap(([name, changes]): [string, Letter][] =>
    whyNotPossible(printJobActions[name as keyof typeof outcomes], letter) === null
      ? [[`operator ${name}`, { ...letter, ...changes }]]
      : [],
  )
}

/** The way out of a letter in production is that of its run, which an operator recalls. */
function movesInPrintRun(letter: Letter): [string, Letter][] {
  if (!letter.isInPrintRun) return []
  const moves = [
    ['provider produce', 'produce'],
    ['provider despatch', 'despatch'],
    ['provider reject', 'reject'],
    ['operator recall reject', 'reject'],
  ] as const
  return moves.flatMap(([name, transition]) =>
    after(letter, transition).map((to): [string, Letter] => [name, to]),
  )
}
