import {
  type PrintJobStatus,
  statusAfter,
  type Transition,
} from '@despatch/domain/print-job/status'
import { type Action, type LetterAction, owedStatuses, type PassName } from './print-job-writers.ts'

/** Where the work of a letter is. */
export type ModelPlace = 'leased' | 'waiting' | 'later' | 'batch'

/** A letter as a caller sees it: its state, its places in the work, its timeline and its callbacks. */
export type ModelLetter = {
  status: PrintJobStatus
  heldBy: 'consumer' | 'operator' | null
  isParked: boolean
  isDeleted: boolean
  isInRun: boolean
  /** A letter that is checked and not parked is in one place, any other letter in none. */
  places: ModelPlace[]
  timeline: string[]
  owed: string[]
}

type Inner = Omit<ModelLetter, 'isInRun' | 'places'> & {
  place: ModelPlace | null
  lane: 'plain' | 'slow'
  hasFailed: boolean
  waitsFor: 'time' | 'object-store'
  isLeaseOver: boolean
  /** The worker that may still write the result of its step. */
  holder: number | null
  run: ModelRun | null
}
type ModelRun = { state: 'RELEASED' | 'CLAIMED' | 'ACKNOWLEDGED' }
/** The offers of a batch. A worker takes the newest one only. */
type ModelBatch = { letters: readonly Inner[]; epoch: number }
type ModelTask = { batch: ModelBatch; epoch: number }

/** Letters in memory. Actions run one at a time, and each returns its result. */
export class LetterModel {
  readonly #letters: Inner[]
  #batches: ModelBatch[] = []
  #tasks: ModelTask[] = []

  constructor(count: number) {
    this.#letters = Array.from({ length: count }, () => ({
      status: 'QUARANTINE',
      heldBy: null,
      isParked: false,
      isDeleted: false,
      timeline: ['submit'],
      owed: [],
      place: 'waiting',
      lane: 'plain',
      hasFailed: false,
      waitsFor: 'time',
      isLeaseOver: false,
      holder: null,
      run: null,
    }))
  }

  letters(): ModelLetter[] {
    return this.#letters.map(
      ({ status, heldBy, isParked, isDeleted, timeline, owed, place, run }) => ({
        status,
        heldBy,
        isParked,
        isDeleted,
        timeline,
        owed,
        places: place ? [place] : [],
        isInRun: run !== null,
      }),
    )
  }

  perform(action: Action): 'done' | 'left' {
    if (!('letter' in action)) {
      this.#pass(action.name)
      return 'done'
    }
    const letter = this.#letters[action.letter]!
    if (action.name === 'take') return this.#take(letter, action)
    if (!may(letter, action)) return 'left'
    this.#change(letter, action)
    return 'done'
  }

  #pass(name: PassName): void {
    switch (name) {
      case 'form':
        this.#form()
        return
      case 'offer-again':
        for (const batch of this.#batches) {
          batch.epoch += 1
          this.#tasks.push({ batch, epoch: batch.epoch })
        }
        this.#form()
        return
      case 'wake':
        for (const letter of this.#letters) {
          if (letter.place === 'leased' && letter.isLeaseOver) rest(letter, 'waiting', 'slow')
        }
        return
      case 'return':
        for (const letter of this.#letters) {
          if (letter.place === 'later' && letter.waitsFor === 'object-store')
            letter.place = 'waiting'
        }
        return
      case 'recover':
        // no letter has lost its place
        return
      case 'gather':
        this.#gather()
        return
      case 'wipe':
        this.#tasks = []
        return
    }
  }

  #gather(): void {
    const run: ModelRun = { state: 'RELEASED' }
    for (const letter of this.#letters) {
      const { status, heldBy, isDeleted } = letter
      if (status === 'PENDING' && !heldBy && !isDeleted && !letter.run) letter.run = run
    }
  }

  /** Letters that failed or were interrupted are alone in their batch. */
  #form(): void {
    for (const letter of this.#letters) {
      if (letter.place === 'later' && letter.waitsFor === 'time') letter.place = 'waiting'
    }
    const waiting = this.#letters.filter(({ place }) => place === 'waiting')
    const plain = waiting.filter(({ lane }) => lane === 'plain')
    const slow = waiting.filter(({ lane }) => lane === 'slow').map((letter) => [letter])
    for (const letters of [...(plain.length > 0 ? [plain] : []), ...slow]) {
      for (const letter of letters) letter.place = 'batch'
      const batch = { letters, epoch: 1 }
      this.#batches.push(batch)
      this.#tasks.push({ batch, epoch: 1 })
    }
  }

  #take(letter: Inner, { task, worker }: Extract<LetterAction, { name: 'take' }>) {
    const naming = this.#tasks.filter(({ batch }) => batch.letters.includes(letter))
    const offer = naming.at(task === 'newest' ? -1 : 0)
    if (!offer || offer.epoch !== offer.batch.epoch || !this.#batches.includes(offer.batch))
      return 'left'
    this.#batches = this.#batches.filter((batch) => batch !== offer.batch)
    for (const each of offer.batch.letters) {
      Object.assign(each, { place: 'leased', holder: worker, isLeaseOver: false })
    }
    return 'done'
  }

  #change(letter: Inner, action: Exclude<LetterAction, { name: 'take' }>): void {
    switch (action.name) {
      case 'lose-lease':
        letter.isLeaseOver = true
        return
      case 'renew':
        letter.isLeaseOver = false
        return
      case 'postpone':
        rest(letter, 'later')
        return
      case 'wait':
        rest(letter, 'later')
        letter.waitsFor = 'object-store'
        return
      case 'interrupt':
        rest(letter, 'later', 'slow')
        return
      case 'retry':
        letter.hasFailed = true
        rest(letter, 'later')
        return
      case 'park':
        letter.isParked = true
        rest(letter, null)
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
        Object.assign(letter, { isParked: false, hasFailed: false })
        rest(letter, 'later')
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
      case 'release':
        // the worker goes on with the next step under the same lease
        enter(letter, 'release')
        return
      case 'release-and-accept':
        enter(letter, 'release')
        move(letter, 'accept')
        return
      default:
        move(letter, action.name)
        return
    }
  }
}

function may(letter: Inner, action: Exclude<LetterAction, { name: 'take' }>): boolean {
  const { status, heldBy, isDeleted, isParked, run } = letter
  const isOpen = !isDeleted && status !== 'DESPATCHED' && status !== 'REJECTED'
  switch (action.name) {
    case 'lose-lease':
      return true
    case 'renew':
    case 'postpone':
    case 'wait':
    case 'interrupt':
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
    case 'release-and-accept':
      return letter.holder === action.worker && status === 'QUARANTINE'
    default:
      return letter.holder === action.worker && statusAfter(status, action.name) !== undefined
  }
}

/** The step ends without an outcome for the letter's status. */
function rest(
  letter: Inner,
  place: ModelPlace | null,
  lane: Inner['lane'] = letter.hasFailed ? 'slow' : 'plain',
): void {
  Object.assign(letter, { place, lane, waitsFor: 'time', isLeaseOver: false, holder: null })
}

function tell(letter: Inner, step: string): void {
  letter.timeline.push(step)
}

function enter(letter: Inner, transition: Transition): void {
  letter.status = statusAfter(letter.status, transition)!
  letter.hasFailed = false
  tell(letter, transition)
  if (owedStatuses.has(letter.status)) letter.owed.push(letter.status)
}

function move(letter: Inner, transition: Transition): void {
  letter.isParked = false
  rest(letter, null)
  enter(letter, transition)
}
