import type { CallbackEndReason, CallbackState } from '@despatch/domain/callback/callback-state'
import type { Lateness } from '@despatch/domain/print-job/lateness'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './elements.tsx'

type Tone = '' | 'work' | 'info' | 'ok' | 'warn' | 'bad'
/** A shape, the colour of its meaning, and a word. */
export type Look<Text = ComponentChildren> = readonly [shape: string, tone: Tone, text: Text]

const statuses: Readonly<Record<PrintJobStatus, Look<string>>> = {
  QUARANTINE: ['quarantine', '', 'Quarantine'],
  VALIDATING: ['validating', 'info', 'Validating'],
  PENDING: ['pending', 'info', 'Pending'],
  PRODUCTION: ['production', 'work', 'Production'],
  DESPATCHED: ['despatched', 'ok', 'Despatched'],
  REJECTED: ['rejected', 'bad', 'Rejected'],
}

const runStates: Readonly<Record<PrintRunState, Look<string>>> = {
  OPEN: ['quarantine', '', 'Open'],
  RELEASED: ['validating', 'info', 'Released'],
  CLAIMED: ['pending', 'info', 'Claimed'],
  ACCEPTED: ['production', 'work', 'Accepted'],
  ACCEPTED_WITH_EXCEPTIONS: ['alert', 'warn', 'Accepted with exceptions'],
  REFUSED: ['rejected', 'bad', 'Refused'],
  IN_PRODUCTION: ['production', 'work', 'In production'],
  POSTED: ['production', 'work', 'Posted'],
  RECONCILED: ['despatched', 'ok', 'Reconciled'],
  CLOSED: ['despatched', 'ok', 'Closed'],
  VOIDED: ['deleted', '', 'Voided'],
}

const callbackStates: Readonly<Record<CallbackState, Look>> = {
  WAITING: ['quarantine', '', 'Waiting'],
  DUE: ['pending', 'info', 'Due'],
  DELIVERED: ['despatched', 'ok', 'Delivered'],
  DEAD: ['rejected', 'bad', 'Dead'],
}

const callbackEnds: Readonly<Record<CallbackEndReason, string>> = {
  gone: 'Receiver wants no more',
  refused: 'Refused by the receiver',
  unsendable: 'Cannot be sent',
  'retries-off': 'Only attempt failed',
  'window-ended': 'Retry window ended',
}

/** Returns why a callback was given up, in few words. */
export function callbackEndName(reason: CallbackEndReason): string {
  return callbackEnds[reason]
}

type ChipProps<Shown> = Shown & { isBig?: boolean }

/** A word with a shape, so that colour alone never says anything. */
export function Chip({ look: [shape, tone, text], isBig = false }: ChipProps<{ look: Look }>) {
  const kind = ['chip', tone && `is-${tone}`, isBig && 'big'].filter(Boolean).join(' ')
  return (
    <span class={kind}>
      <Icon name={shape} kind="g" />
      {text}
    </span>
  )
}

export function StatusChip({ status, ...more }: ChipProps<{ status: PrintJobStatus }>) {
  return <Chip look={statuses[status]} {...more} />
}

export function RunChip({ state, ...more }: ChipProps<{ state: PrintRunState }>) {
  return <Chip look={runStates[state]} {...more} />
}

export function CallbackChip({ state, ...more }: ChipProps<{ state: CallbackState }>) {
  return <Chip look={callbackStates[state]} {...more} />
}

/** Returns the word of a status. */
export function statusName(status: PrintJobStatus): string {
  return statuses[status][2]
}

export function runStateName(state: PrintRunState): string {
  return runStates[state][2]
}

/** Returns the shape and the tone of a status, for a mark without a word. */
export function statusMark(status: PrintJobStatus): readonly [shape: string, tone: Tone] {
  const [shape, tone] = statuses[status]
  return [shape, tone]
}

const latenesses: Partial<Record<Lateness, Look>> = {
  'at-risk': ['clock', 'warn', 'At risk'],
  overdue: ['clock', 'bad', 'Overdue'],
}

/** Returns the chip of a letter that may miss or has missed its due date. */
export function latenessChip(lateness: Lateness | undefined, isBig = false) {
  const look = lateness && latenesses[lateness]
  return look ? <Chip look={look} isBig={isBig} /> : null
}

type Aside = {
  parkedAt?: string | undefined
  heldAt?: string | undefined
  deletedAt?: string | undefined
}

/** Returns the chips of what keeps a letter from moving on. */
export function asideChips({ parkedAt, heldAt, deletedAt }: Aside, isBig = false): JSX.Element[] {
  return [
    ...(deletedAt ? [<Chip look={['deleted', '', 'Cancelled']} isBig={isBig} />] : []),
    ...(parkedAt ? [<Chip look={['parked', 'bad', 'Parked']} isBig={isBig} />] : []),
    ...(heldAt ? [<Chip look={['held', 'warn', 'Held']} isBig={isBig} />] : []),
  ]
}
