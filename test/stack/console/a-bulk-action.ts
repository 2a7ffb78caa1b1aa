/** Returns a plan as the API lists it. Its name is its reason. */
export function aBulkAction(name: string) {
  return {
    bulkActionId: crypto.randomUUID(),
    action: 'hold',
    reason: name,
    state: 'PLANNED',
    printJobCount: 1,
    plannedAt: new Date().toISOString(),
    plannedBy: 'operator',
    progress: { done: 0 },
  }
}
