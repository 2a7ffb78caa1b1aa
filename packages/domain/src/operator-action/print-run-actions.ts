import { isInProduction, type PrintRunState, printRunStates } from '../print-run/state.ts'
import type { ActionReason, OperatorAction } from './operator-action.ts'

/** The facts that decide which actions on a print run are possible. */
export type PrintRunFacts = {
  state: PrintRunState
  /** Each of its documents has an outcome. Known from the claim on. */
  isAccountedFor: boolean
  /** Its provider refused it for a reason that is not in its documents. */
  isRefusedAsWhole: boolean
  /** It has gathered no documents yet. */
  isEmpty: boolean
}

const path = '/print-runs/:batchNumber'

const inTimelines = {
  member: 'reason',
  question: 'Reason',
  shown: 'in the timelines of the print jobs',
} as const satisfies ActionReason

const ended = ['CLOSED', 'VOIDED'] as const
const nothingLeft = 'it has no documents left to print'
const nothingToRecall = 'no document is left to recall'
const notAcknowledged = 'only an acknowledged print run can be closed'

const actions = {
  release: {
    operationId: 'releasePrintRun',
    path: `${path}/release`,
    reason: null,
    refusals: [
      {
        when: { state: printRunStates.filter((state) => state !== 'OPEN') },
        whyNot: 'only an OPEN print run can be released',
      },
    ],
    effect: 'Releases an open print run now instead of at its cut-off.',
    label: 'Release now',
  },
  move: {
    operationId: 'reassignPrintRun',
    path: `${path}/move`,
    reason: inTimelines,
    refusals: [
      {
        when: { state: ['ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'IN_PRODUCTION', 'POSTED'] },
        whyNot:
          'its provider is working on it. Recall it, and settle the recall if the provider cannot respond',
      },
      { when: { state: ['RECONCILED', ...ended] }, whyNot: nothingLeft },
      { when: { state: 'REFUSED', isRefusedAsWhole: false }, whyNot: nothingLeft },
      { when: { state: 'OPEN', isEmpty: true }, whyNot: 'it has no documents yet' },
      { when: { isEmpty: true }, whyNot: nothingLeft },
      { when: { isAccountedFor: true }, whyNot: nothingLeft },
    ],
    effect: 'Reassigns the documents of a print run to another site, in a new print run.',
    label: 'Reassign to this site',
  },
  recall: {
    operationId: 'recallPrintRun',
    path: `${path}/recalls`,
    reason: { ...inTimelines, shown: 'to the provider and to the consumers' },
    refusals: [
      { when: { state: ended }, whyNot: nothingToRecall },
      { when: { isAccountedFor: true }, whyNot: nothingToRecall },
    ],
    effect: 'Recalls documents of a print run, or all that have not left.',
    label: 'Recall',
  },
  post: {
    operationId: 'postOnBehalf',
    path: `${path}/postings`,
    reason: { ...inTimelines, question: 'Evidence' },
    refusals: [
      {
        when: { state: printRunStates.filter((state) => !isInProduction(state)) },
        whyNot: 'only letters of a run in production can be posted',
      },
      { when: { isAccountedFor: true }, whyNot: 'it has no missing document' },
    ],
    effect: 'Records on behalf of the provider that documents were posted: they become DESPATCHED.',
    label: 'Record the posting',
  },
  close: {
    operationId: 'closePrintRunOnBehalf',
    path: `${path}/close`,
    reason: {
      member: 'note',
      question: 'Why the provider does not close it',
      shown: 'in the audit log',
    },
    refusals: [
      { when: { state: ['OPEN', 'RELEASED', ...ended] }, whyNot: notAcknowledged },
      // if its provider has vanished and all documents are recalled, nobody will acknowledge it
      { when: { state: 'CLAIMED', isAccountedFor: false }, whyNot: notAcknowledged },
      { when: { isAccountedFor: false }, whyNot: 'documents are unaccounted for' },
    ],
    effect:
      'Closes a print run on behalf of the provider, once every document has been accounted for.',
    label: 'Close on behalf of the provider',
  },
} satisfies Record<string, OperatorAction<PrintRunFacts>>

export type PrintRunAction = keyof typeof actions

/** The actions of an operator on a print run. */
export const printRunActions: Readonly<Record<PrintRunAction, OperatorAction<PrintRunFacts>>> =
  actions

/** Answers an open recall. Its state is judged when the answer is recorded. */
export const settleRecall: OperatorAction = {
  operationId: 'settleRecall',
  path: '/recalls/:recallId/settle',
  reason: { member: 'note', question: 'Evidence', shown: 'with the recall' },
  refusals: [],
  effect: 'Settles an open recall on behalf of the provider: its documents were stopped.',
  label: 'Settle',
}
