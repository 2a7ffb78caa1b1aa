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
  hasFailed: boolean
  /** How many workers died in its step. */
  deaths: number
  waitsFor: 'time' | 'object-store'
  /** The batch that it is in, if its place is 'batch' or 'leased'. */
  batch: ModelBatch | null
  /** The worker that may still write the result of its step. */
  holder: number | null
  run: ModelRun | null
}
type ModelRun = { state: 'RELEASED' | 'CLAIMED' | 'ACKNOWLEDGED' }
/** A worker takes the newest offer of a batch only. */
type ModelBatch = {
  letters: readonly Inner[]
  epoch: number
  state: 'offered' | 'leased' | 'over'
  isLeaseOver: boolean
}
type ModelTask = { batch: ModelBatch; epoch: number }

/** Letters in memory. Actions run one at a time, and each returns its result. */
export class LetterModel {
  readonly #letters: Inner[]
  #batches: ModelBatch[] = []
  #tasks: ModelTask[] = []
  /** The last batch in which each worker took each letter. */
  readonly #taken = new Map<string, ModelBatch>()

  constructor(count: number) {
    this.#letters = Array.from({ length: count }, () => ({
      status: 'QUARANTINE',
      heldBy: null,
      isParked: false,
      isDeleted: false,
      timeline: ['submit'],
      owed: [],
      place: 'waiting',
      hasFailed: false,
      deaths: 0,
      waitsFor: 'time',
      batch: null,
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
    if (action.name === 'renew' || action.name === 'end') return this.#hold(action)
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
          if (batch.state !== 'offered') continue
          batch.epoch += 1
          this.#tasks.push({ batch, epoch: batch.epoch })
        }
        this.#form()
        return
      case 'give-up':
        for (const batch of this.#batches) {
          if (batch.state !== 'leased' || !batch.isLeaseOver) continue
          for (const letter of withoutOutcome(batch)) {
            letter.deaths += 1
            rest(letter, 'waiting')
          }
          batch.state = 'over'
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
    const plain = waiting.filter((letter) => !isSlow(letter))
    const slow = waiting.filter(isSlow).map((letter) => [letter])
    for (const letters of [...(plain.length > 0 ? [plain] : []), ...slow]) {
      const batch: ModelBatch = { letters, epoch: 1, state: 'offered', isLeaseOver: false }
      for (const letter of letters) Object.assign(letter, { place: 'batch', batch })
      this.#batches.push(batch)
      this.#tasks.push({ batch, epoch: 1 })
    }
  }

  #take(letter: Inner, { task, worker }: Extract<LetterAction, { name: 'take' }>) {
    const naming = this.#tasks.filter(({ batch }) => batch.letters.includes(letter))
    const offer = naming.at(task === 'newest' ? -1 : 0)
    if (!offer || offer.epoch !== offer.batch.epoch || offer.batch.state !== 'offered')
      return 'left'
    const { batch } = offer
    batch.state = 'leased'
    for (const each of batch.letters) {
      Object.assign(each, { place: 'leased', holder: worker })
      this.#taken.set(`${worker} ${this.#letters.indexOf(each)}`, batch)
    }
    return 'done'
  }

  /** A worker renews the lease of the batch in which it took the letter, or ends the batch. */
  #hold({ name, letter, worker }: Extract<LetterAction, { name: 'renew' | 'end' }>) {
    const batch = this.#taken.get(`${worker} ${letter}`)
    if (batch?.state !== 'leased') return 'left'
    if (name === 'renew') batch.isLeaseOver = false
    else if (withoutOutcome(batch).length > 0) return 'left'
    else batch.state = 'over'
    return 'done'
  }

  #change(letter: Inner, action: OneLetterAction): void {
    switch (action.name) {
      case 'lose-lease':
        for (const batch of this.#batches) {
          if (batch.state === 'leased' && batch.letters.includes(letter)) batch.isLeaseOver = true
        }
        return
      case 'postpone':
        rest(letter, 'later')
        return
      case 'wait':
        rest(letter, 'later')
        letter.waitsFor = 'object-store'
        return
      case 'interrupt':
        letter.deaths += 1
        rest(letter, 'later')
        return
      case 'retry':
        Object.assign(letter, { hasFailed: true, deaths: 0 })
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
        // a parked one is rejected, so that its consumer gets a callback
        if (letter.isParked) {
          move(letter, 'reject')
          return
        }
        Object.assign(letter, { isDeleted: true, run: null, holder: null })
        tell(letter, 'delete')
        return
      case 'redrive':
        Object.assign(letter, { isParked: false, hasFailed: false, deaths: 0 })
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
        // the worker goes on with the next step under the same epoch
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

/** The actions that change one letter. */
type OneLetterAction = Exclude<LetterAction, { name: 'take' | 'renew' | 'end' }>

const isSlow = ({ hasFailed, deaths }: Inner) => hasFailed || deaths > 0

const withoutOutcome = (batch: ModelBatch): Inner[] =>
  batch.letters.filter((letter) => letter.place === 'leased' && letter.batch === batch)

function may(letter: Inner, action: OneLetterAction): boolean {
  const { status, heldBy, isDeleted, isParked, run } = letter
  const isOpen = !isDeleted && status !== 'DESPATCHED' && status !== 'REJECTED'
  switch (action.name) {
    case 'lose-lease':
      return true
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
      return isOpen && (status === 'PENDING' || (isParked && action.who === 'operator'))
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
function rest(letter: Inner, place: ModelPlace | null): void {
  Object.assign(letter, { place, batch: null, waitsFor: 'time', holder: null })
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
  Object.assign(letter, { isParked: false, deaths: 0 })
  rest(letter, null)
  enter(letter, transition)
}
