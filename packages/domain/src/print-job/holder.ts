/** Whether an operator holds the print job, so that its consumer cannot release it. */
export function isHeldByOperator(heldBy: string | null): boolean {
  return heldBy !== null && heldBy !== 'consumer' && heldBy !== 'contract'
}
