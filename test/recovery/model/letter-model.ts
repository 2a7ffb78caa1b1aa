import {
  type PrintJobStatus,
  statusAfter,
  type Transition,
} from '@despatch/domain/print-job/status'
import type { Action, LetterAction } from './print-job-writers.ts'

/** A letter as a caller sees it: its state, its timeline and its callbacks. */
export type ModelLetter = {
  status: PrintJobStatus
  heldBy: 'consumer' | 'operator' | null
  isParked: boolean
  isDeleted: boolean
  isInRun: boolean
  timeline: string[]
  owed: string[]
}

type Inner = Omit<ModelLetter, 'isInRun'> & {
  isLeased: boolean
  /** The worker that may still write the result of its step. */
  holder: number | null
  run: ModelRun | null
}
type ModelRun = { state: 'RELEASED' | 'CLAIMED' | 'ACKNOWLEDGED' }

/** Letters in memory. Actions run one at a time, and each returns its result. */
export class LetterModel {
  readonly #letters: Inner[]

  constructor(count: number) {
    this.#letters = Array.from({ length: count }, () => ({
      status: 'QUARANTINE',
      heldBy: null,
      isParked: false,
      isDeleted: false,
      timeline: ['submit'],
      owed: [],
      isLeased: false,
      holder: null,
      run: null,
    }))
  }

  letters(): ModelLetter[] {
    return this.#letters.map(({ isLeased: _, holder: __, run, ...letter }) => ({
      ...letter,
      isInRun: run !== null,
    }))
  }

  perform(action: Action): 'done' | 'left' {
    if (action.name === 'gather') return this.#gather()
    if (action.name === 'wake') return this.#wake()
    const letter = this.#letters[action.letter]!
    if (!may(letter, action)) return 'left'
    this.#change(letter, action)
    return 'done'
  }

  #gather(): 'done' {
    const run: ModelRun = { state: 'RELEASED' }
    for (const letter of this.#letters) {
      const { status, heldBy, isDeleted } = letter
      if (status === 'PENDING' && !heldBy && !isDeleted && !letter.run) letter.run = run
    }
    return 'done'
  }

  #wake(): 'done' {
    for (const letter of this.#letters) {
      if (isChecked(letter) && !letter.isParked && !letter.isLeased) letter.holder = null
    }
    return 'done'
  }

  #change(letter: Inner, action: LetterAction): void {
    switch (action.name) {
      case 'take':
        Object.assign(letter, { isLeased: true, holder: action.worker })
        return
      case 'lose-lease':
        letter.isLeased = false
        return
      case 'postpone':
      case 'retry':
        rest(letter)
        return
      case 'park':
        letter.isParked = true
        rest(letter)
        tell(letter, 'park')
        return
      case 'hold':
        Object.assign(letter, { heldBy: action.who, run: null })
        tell(letter, 'hold')
        return
      case 'release-hold':
        letter.heldBy = null
        tell(letter, 'release-hold')
        return
      case 'delete':
        Object.assign(letter, { isDeleted: true, run: null, holder: null })
        tell(letter, 'delete')
        return
      case 'redrive':
        letter.isParked = false
        rest(letter)
        tell(letter, 'redrive')
        return
      case 'override':
        tell(letter, 'override-address')
        return
      case 'claim':
        letter.run!.state = 'CLAIMED'
        for (const each of this.#letters) if (each.run === letter.run) move(each, 'produce')
        return
      case 'acknowledge':
        letter.run!.state = 'ACKNOWLEDGED'
        return
      case 'fail':
        move(letter, 'reject')
        return
      default:
        move(letter, action.name)
        return
    }
  }
}

function may(letter: Inner, action: LetterAction): boolean {
  const { status, heldBy, isDeleted, isParked, run } = letter
  const isOpen = !isDeleted && status !== 'DESPATCHED' && status !== 'REJECTED'
  switch (action.name) {
    case 'take':
      return status === action.status && isOpen && !isParked && !letter.isLeased
    case 'lose-lease':
      return true
    case 'postpone':
    case 'retry':
    case 'park':
      return letter.holder === action.worker
    case 'hold':
      return (
        isOpen &&
        status !== 'PRODUCTION' &&
        heldBy !== 'operator' &&
        (action.who === 'operator' || heldBy === null)
      )
    case 'release-hold':
      return isOpen && heldBy !== null && (action.who === 'operator' || heldBy === 'consumer')
    case 'delete':
      return isOpen && status === 'PENDING'
    case 'redrive':
      return isOpen && isParked
    case 'override':
      return isOpen && status === 'PENDING' && heldBy !== null
    case 'claim':
      return run?.state === 'RELEASED'
    case 'acknowledge':
      return run?.state === 'CLAIMED'
    case 'fail':
    case 'despatch':
      return run?.state === 'ACKNOWLEDGED' && status === 'PRODUCTION'
    default:
      return letter.holder === action.worker && statusAfter(status, action.name) !== undefined
  }
}

function isChecked({ status }: Inner): boolean {
  return status === 'QUARANTINE' || status === 'VALIDATING'
}

function rest(letter: Inner): void {
  Object.assign(letter, { isLeased: false, holder: null })
}

function tell(letter: Inner, step: string): void {
  letter.timeline.push(step)
}

function move(letter: Inner, transition: Transition): void {
  letter.status = statusAfter(letter.status, transition)!
  letter.isParked = false
  rest(letter)
  tell(letter, transition)
  if (letter.status === 'DESPATCHED' || letter.status === 'REJECTED')
    letter.owed.push(letter.status)
}
