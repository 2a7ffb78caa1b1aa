import type { BulkActionResponse } from '@despatch/contracts/administration/bulk-action'
import type { BulkActionState } from '@despatch/domain/bulk-action/bulk-action'
import type { JSX } from 'preact'
import { chip } from '../parts/chips.ts'
import { count } from '../parts/format.ts'

const looks = {
  PLANNED: ['pending', 'info', 'Planned'],
  EXPIRED: ['clock', '', 'Expired'],
  RUNNING: ['production', 'work', 'Running'],
  STOPPED: ['held', 'warn', 'Stopped'],
  ENDED: ['despatched', 'ok', 'Ended'],
} as const satisfies Readonly<Record<BulkActionState, Parameters<typeof chip>[0]>>

/** Returns the state of a bulk action, with what fails. */
export function stateChip(
  { state, progress, needsSecondPerson }: BulkActionResponse,
  isBig = false,
): JSX.Element {
  if (state === 'PLANNED' && needsSecondPerson) {
    return chip(['pending', 'warn', 'Waits for another operator'], isBig)
  }
  if (progress.failing === 0) return chip(looks[state], isBig)
  return chip(['alert', 'bad', `${looks[state][2]}, ${count(progress.failing)} failing`], isBig)
}
