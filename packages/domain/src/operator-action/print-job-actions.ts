import type { PrintJobStatus } from '../print-job/status.ts'
import type { ActionReason, OperatorAction, Refusal } from './operator-action.ts'

/** The facts that decide which actions on a print job are possible. */
export type PrintJobFacts = {
  status: PrintJobStatus
  isDeleted: boolean
  isHeld: boolean
  isHeldByOperator: boolean
  isParked: boolean
  isPurged: boolean
  isInPrintRun: boolean
  /** The letter is a file of the consumer, which is printed unchanged, including its address. */
  isAsSupplied: boolean
}

const path = '/print-jobs/:printJobKey'

const reason = {
  member: 'reason',
  question: 'Reason',
  shown: 'in the timeline',
} as const satisfies ActionReason

const hasEnded: readonly Refusal<PrintJobFacts>[] = [
  { when: { isPurged: true }, whyNot: 'Its personal data has been deleted.' },
  { when: { isDeleted: true }, whyNot: 'It was cancelled.' },
  { when: { status: 'DESPATCHED' }, whyNot: 'It has been despatched.' },
  { when: { status: 'REJECTED' }, whyNot: 'It was rejected.' },
]
const claimed = 'A provider has claimed it: recall it from its print run.'

const actions = {
  hold: {
    operationId: 'holdPrintJobByKey',
    path: `${path}/hold`,
    reason,
    refusals: [
      ...hasEnded,
      // an operator's hold replaces the consumer's or the contract's, which can then not be released by the consumer
      { when: { isHeldByOperator: true }, whyNot: 'An operator already holds it.' },
      { when: { status: 'PRODUCTION' }, whyNot: 'A provider has claimed it.' },
    ],
    effect: 'Keeps the print job out of print runs until it is released.',
    label: 'Hold',
  },
  release: {
    operationId: 'releasePrintJobByKey',
    path: `${path}/release`,
    reason,
    refusals: [...hasEnded, { when: { isHeld: false }, whyNot: 'It is not held.' }],
    effect: 'Ends the hold of a print job, so that it can join a print run.',
    label: 'Release',
  },
  cancel: {
    operationId: 'cancelPrintJob',
    path: `${path}/cancel`,
    reason,
    refusals: [
      ...hasEnded,
      { when: { status: 'PRODUCTION' }, whyNot: claimed },
      // without this exit, a letter whose fault nobody can put right would stay for ever
      {
        when: { status: ['QUARANTINE', 'VALIDATING'], isParked: false },
        whyNot: 'It is still being checked.',
      },
    ],
    effect: 'Cancels a PENDING print job on behalf of its consumer, or rejects a parked one.',
    label: 'Cancel',
  },
  redrive: {
    operationId: 'redrivePrintJob',
    path: `${path}/redrive`,
    reason,
    refusals: [
      ...hasEnded,
      { when: { isParked: false }, whyNot: 'It is not parked; it continues automatically.' },
    ],
    effect: 'Retries a parked print job at once.',
    label: 'Retry',
  },
  'override-address': {
    operationId: 'overrideAddress',
    path: `${path}/address`,
    reason,
    refusals: [
      ...hasEnded,
      {
        when: { isAsSupplied: true },
        whyNot:
          'Its address is part of the file that its consumer supplied. Cancel it and ask the consumer to submit it again.',
      },
      { when: { status: 'PRODUCTION' }, whyNot: claimed },
      {
        when: { status: ['QUARANTINE', 'VALIDATING'] },
        whyNot: 'It is still being checked: hold it and wait until it is PENDING.',
      },
      { when: { isInPrintRun: true }, whyNot: 'It is in a print run. Hold it first.' },
      { when: { isHeld: false }, whyNot: 'Hold it first.' },
    ],
    effect: 'Corrects the address of a held letter.',
    label: 'Correct the address',
  },
} satisfies Record<string, OperatorAction<PrintJobFacts>>

export type PrintJobAction = keyof typeof actions

/** The actions of an operator on a print job. */
export const printJobActions: Readonly<Record<PrintJobAction, OperatorAction<PrintJobFacts>>> =
  actions

export const printJobActionNames = Object.keys(printJobActions) as readonly PrintJobAction[]

/** The reason of an action on many print jobs. */
export const reasonOfMany: ActionReason = { ...reason, shown: 'in each timeline' }

/** The action that retries every print job that an outage parked. */
export const redriveParked: OperatorAction = {
  operationId: 'redriveParked',
  path: '/parked-print-jobs/redrive',
  reason: reasonOfMany,
  refusals: [],
  effect: 'Retries every print job that an outage parked, without a limit.',
  label: 'Retry all',
}
