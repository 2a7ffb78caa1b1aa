import {
  type DocumentState,
  isPostable,
  isReprintable,
  judgeItemEvent,
} from '@despatch/domain/print-run/document-progress'
import { type ItemEventType, isSpoiling } from '@despatch/domain/print-run/item-event'
import {
  missingCount,
  type ReconciliationCounts,
  stateOfWork,
} from '@despatch/domain/print-run/state'

/** An action of a provider or an operator on the documents of a run. A document is named by its index. */
export type RunAction =
  | { name: 'report'; document: number; attempt: number; type: ItemEventType }
  | { name: 'ask-reprint' | 'ask-recall'; document: number }
  | { name: 'decide-reprint'; document: number; decision: 'authorise' | 'refuse' }
  | { name: 'answer-recall'; document: number; isTooLate: boolean }
  | { name: 'post'; documents: number[] }
  | { name: 'confirm'; posting: number }
  | { name: 'close' }

type ModelDocument = {
  standing: DocumentState
  reported: Set<string>
  posting: number | null
  /** The last attempt that was requested. The first needs no request. */
  asked: number
  /** A reprint waits for a second person. */
  isWaiting: boolean
  isAskedBack: boolean
}

/** An acknowledged run in memory: the state of each document, and the state of the run that follows from it. */
export class RunModel {
  readonly #documents: ModelDocument[]
  #postings = 0
  state = 'ACCEPTED'

  constructor(count: number) {
    this.#documents = Array.from({ length: count }, () => ({
      standing: { firstAttempt: 1, attempt: 1, progress: null, outcome: null },
      reported: new Set<string>(),
      posting: null,
      asked: 1,
      isWaiting: false,
      isAskedBack: false,
    }))
  }

  account(): ReconciliationCounts {
    const count = (judge: (document: ModelDocument) => boolean) =>
      this.#documents.filter(judge).length
    const withOutcome = (name: string) => count(({ standing }) => standing.outcome === name)
    return {
      expected: this.#documents.length,
      despatched: withOutcome('DESPATCHED'),
      refused: withOutcome('REFUSED'),
      failed: withOutcome('FAILED'),
      recalled: withOutcome('RECALLED'),
      posted: count(({ standing, posting }) => standing.outcome === null && posting !== null),
    }
  }

  standings(): DocumentState[] {
    return this.#documents.map(({ standing }) => standing)
  }

  /** Returns the result of the action, in a word. */
  perform(action: RunAction): string {
    switch (action.name) {
      case 'report':
        return this.#report(this.#documents[action.document]!, action)
      case 'ask-reprint':
        return this.#askReprint(this.#documents[action.document]!)
      case 'decide-reprint':
        return this.#decideReprint(this.#documents[action.document]!, action)
      case 'ask-recall':
        return this.#askRecall(this.#documents[action.document]!)
      case 'answer-recall':
        return this.#answerRecall(this.#documents[action.document]!, action)
      case 'post':
        return this.#post(action.documents.map((each) => this.#documents[each]!))
      case 'confirm':
        return this.#confirm(action.posting)
      case 'close':
        return this.#close()
    }
  }

  #work(): void {
    if (this.state !== 'CLOSED') this.state = stateOfWork(this.account())
  }

  #end(document: ModelDocument, outcome: 'FAILED' | 'RECALLED'): void {
    document.standing = { ...document.standing, outcome }
    document.posting = null
    document.isWaiting = false
  }

  #report(document: ModelDocument, event: { attempt: number; type: ItemEventType }): string {
    if (this.state === 'CLOSED') return 'not-in-production'
    const ofAttempt = [...document.reported].flatMap((each) => {
      const [attempt, type] = each.split(' ') as [string, ItemEventType]
      return Number(attempt) === event.attempt ? [type] : []
    })
    const judged = judgeItemEvent(document.standing, event, new Set(ofAttempt))
    if (judged.kind === 'refuse') return judged.reason
    document.reported.add(`${event.attempt} ${event.type}`)
    document.standing = judged.standing
    if (isSpoiling(event.type)) document.posting = null
    if (event.type === 'FAILED') document.isWaiting = false
    this.#work()
    return judged.kind === 'apply' ? 'APPLIED' : 'RECORDED'
  }

  #askReprint(document: ModelDocument): string {
    if (this.state === 'CLOSED') return 'not-in-production'
    if (isKept(document)) return 'requested'
    if (!isReprintable(document.standing)) return 'not-possible'
    document.asked = document.standing.attempt + 1
    document.isWaiting = true
    return 'requested'
  }

  #decideReprint(document: ModelDocument, { decision }: { decision: string }): string {
    if (!document.isWaiting) return 'left'
    document.isWaiting = false
    if (decision === 'refuse') {
      this.#end(document, 'FAILED')
      this.#work()
      return 'decided'
    }
    const { attempt } = document.standing
    document.standing = { ...document.standing, attempt: attempt + 1, progress: null }
    return 'decided'
  }

  #askRecall(document: ModelDocument): string {
    if (document.standing.outcome !== null || document.isAskedBack) return 'nothing-left'
    document.isAskedBack = true
    return 'asked'
  }

  #answerRecall(document: ModelDocument, { isTooLate }: { isTooLate: boolean }): string {
    if (!document.isAskedBack) return 'left'
    document.isAskedBack = false
    if (!isTooLate && document.standing.outcome === null) this.#end(document, 'RECALLED')
    this.#work()
    return 'answered'
  }

  #post(documents: readonly ModelDocument[]): string {
    if (this.state === 'CLOSED') return 'not-in-production'
    const isAllPostable = documents.every(
      ({ standing, posting }) => posting === null && isPostable(standing),
    )
    if (!isAllPostable) return 'not-postable'
    for (const document of documents) document.posting = this.#postings
    this.#postings += 1
    this.#work()
    return 'posted'
  }

  #confirm(posting: number): string {
    if (posting >= this.#postings) return 'left'
    for (const document of this.#documents) {
      const { standing } = document
      if (document.posting === posting) document.standing = { ...standing, outcome: 'DESPATCHED' }
    }
    this.#work()
    return 'confirmed'
  }

  #close(): string {
    const missing = missingCount(this.account())
    if (missing > 0) return `missing ${missing}`
    this.state = 'CLOSED'
    return 'closed'
  }
}

/** Whether a repeated request changes nothing: the attempt was requested before and has not been printed since. */
function isKept({ asked, standing: { attempt, progress, outcome } }: ModelDocument): boolean {
  if (asked === attempt + 1) return true
  const isUnprinted = outcome === null && (progress === null || progress === 'FETCHED')
  return asked > 1 && asked === attempt && isUnprinted
}
