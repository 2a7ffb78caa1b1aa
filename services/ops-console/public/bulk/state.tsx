import type { BulkActionResponse } from '@despatch/contracts/administration/bulk-action'
import type { BulkActionState } from '@despatch/domain/bulk-action/bulk-action'
import { Chip, type Look } from '../parts/chips.tsx'
import { count } from '../parts/format.ts'

const looks = {
  PLANNED: ['pending', 'info', 'Planned'],
  EXPIRED: ['clock', '', 'Expired'],
  RUNNING: ['production', 'work', 'Running'],
  STOPPED: ['held', 'warn', 'Stopped'],
  ENDED: ['despatched', 'ok', 'Ended'],
} as const satisfies Readonly<Record<BulkActionState, Look<string>>>

/** Returns the state of a bulk action, with what fails. */
export function stateChip(
  { state, progress, needsSecondPerson }: BulkActionResponse,
  isBig = false,
) {
  if (state === 'PLANNED' && needsSecondPerson) {
    return <Chip look={['pending', 'warn', 'Waits for another operator']} isBig={isBig} />
  }
  if (progress.failing === 0) return <Chip look={looks[state]} isBig={isBig} />
  return (
    <Chip
      look={['alert', 'bad', `${looks[state][2]}, ${count(progress.failing)} failing`]}
      isBig={isBig}
    />
  )
}
