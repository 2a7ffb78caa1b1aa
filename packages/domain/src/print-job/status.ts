export const printJobStatuses = [
  'QUARANTINE',
  'VALIDATING',
  'PENDING',
  'PRODUCTION',
  'DESPATCHED',
  'REJECTED',
] as const
export type PrintJobStatus = (typeof printJobStatuses)[number]

/** What operators can filter print jobs by, beside the status. */
export const printJobFilters = ['parked', 'held', 'failing', 'at-risk', 'overdue'] as const

/**
 * Every legal transition of a print job. A transition that is not listed cannot be written. The specification leaves
 * the places of QUARANTINE and VALIDATING open: docs/decisions/0002.
 */
export const transitions = {
  release: { from: ['QUARANTINE'], to: 'VALIDATING' },
  accept: { from: ['VALIDATING'], to: 'PENDING' },
  produce: { from: ['PENDING'], to: 'PRODUCTION' },
  despatch: { from: ['PRODUCTION'], to: 'DESPATCHED' },
  reject: { from: ['QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION'], to: 'REJECTED' },
} as const satisfies Record<string, { from: readonly PrintJobStatus[]; to: PrintJobStatus }>

export type Transition = keyof typeof transitions

/** Returns the status after the transition; undefined if the transition is not allowed from `status`. */
export function statusAfter(
  status: PrintJobStatus,
  transition: Transition,
): PrintJobStatus | undefined {
  const { from, to } = transitions[transition]
  return (from as readonly PrintJobStatus[]).includes(status) ? to : undefined
}

/** Returns true if no transition leads out of the status. */
export function isFinal(status: PrintJobStatus): boolean {
  return !Object.values(transitions).some(({ from }) =>
    (from as readonly PrintJobStatus[]).includes(status),
  )
}
