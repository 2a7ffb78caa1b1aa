import type { CallbackEndReason, CallbackState } from '@despatch/domain/callback/callback-state'
import type { Lateness } from '@despatch/domain/print-job/lateness'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import { type ComponentChildren, h, type JSX } from 'preact'
import { icon } from './elements.ts'

type Tone = '' | 'work' | 'info' | 'ok' | 'warn' | 'bad'
/** A shape, the colour of its meaning, and a word. */
type Look = readonly [shape: string, tone: Tone, text: string]

const statuses: Readonly<Record<PrintJobStatus, Look>> = {
  QUARANTINE: ['quarantine', '', 'Quarantine'],
  VALIDATING: ['validating', 'info', 'Validating'],
  PENDING: ['pending', 'info', 'Pending'],
  PRODUCTION: ['production', 'work', 'Production'],
  DESPATCHED: ['despatched', 'ok', 'Despatched'],
  REJECTED: ['rejected', 'bad', 'Rejected'],
}

const runStates: Readonly<Record<PrintRunState, Look>> = {
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

/** Returns a word with a shape, so that colour alone never says anything. */
export function chip(
  [shape, tone, text]: readonly [string, Tone, ComponentChildren],
  isBig = false,
): JSX.Element {
  const kind = ['chip', tone && `is-${tone}`, isBig && 'big'].filter(Boolean).join(' ')
  return h('span', { class: kind }, icon(shape, 'g'), text)
}

export const statusChip = (status: PrintJobStatus, isBig = false) => chip(statuses[status], isBig)
export const runChip = (state: PrintRunState, isBig = false) => chip(runStates[state], isBig)
export const callbackChip = (state: CallbackState, isBig = false) =>
  chip(callbackStates[state], isBig)

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
export function latenessChip(lateness: Lateness | undefined, isBig = false): JSX.Element | null {
  const look = lateness && latenesses[lateness]
  return look ? chip(look, isBig) : null
}

type Aside = {
  parkedAt?: string | undefined
  heldAt?: string | undefined
  deletedAt?: string | undefined
}

/** Returns the chips of what keeps a letter from moving on. */
export function asideChips({ parkedAt, heldAt, deletedAt }: Aside, isBig = false): JSX.Element[] {
  return [
    ...(deletedAt ? [chip(['deleted', '', 'Cancelled'], isBig)] : []),
    ...(parkedAt ? [chip(['parked', 'bad', 'Parked'], isBig)] : []),
    ...(heldAt ? [chip(['held', 'warn', 'Held'], isBig)] : []),
  ]
}
