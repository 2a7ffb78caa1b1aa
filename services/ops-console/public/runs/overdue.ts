import { overdueTime } from '@despatch/domain/print-run/overdue'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import { dayAfter, moment } from '../parts/format.ts'

/** Returns whether documents of the run should have been despatched by now. */
export function isOverdue({
  state,
  expectedDespatchDate: day,
}: {
  state: PrintRunState
  expectedDespatchDate?: string | undefined
}): boolean {
  const time = overdueTime(state)
  if (!day || !time) return false
  return moment(new Date().toISOString()) >= `${dayAfter(day)} ${time}`
}
