import type { ProblemKind } from '@despatch/domain/problem'

const absences = [
  'print-job-not-found',
  'upload-not-found',
  'print-run-not-found',
  'document-not-found',
  'posting-not-found',
  'reprint-not-found',
  'recall-not-found',
  'print-site-not-found',
  'provider-not-found',
  'fulfilment-job-not-found',
  'consumer-not-found',
  'contract-not-found',
  'record-set-not-found',
  'vehicle-not-found',
  'driver-not-found',
  'callback-not-found',
  'signing-secret-not-found',
  'bulk-action-not-found',
] as const satisfies readonly ProblemKind[]

const conflicts = [
  'print-job-id-taken',
  'print-job-not-pending',
  'proof-not-ready',
  'print-run-not-claimable',
  'claim-key-reused',
  'digest-mismatch',
  'posting-conflict',
  'print-run-not-in-production',
  'print-run-unaccounted',
  'reprint-not-possible',
  'recall-answered',
  'provider-taken',
  'print-run-conflict',
  'user-name-taken',
  'contract-in-use',
  'own-access',
  'api-key-changing',
  'record-set-conflict',
  'replay-conflict',
  'signing-secret-conflict',
  'print-job-action-refused',
  'bulk-action-conflict',
] as const satisfies readonly ProblemKind[]

type Absence = (typeof absences)[number]
type Conflict = (typeof conflicts)[number]

/** Defaults for problems that an API does not raise itself. Spread it first; the API's own entries override it. */
export function problemDefaults<NotFound, Conflicting>({
  notFound,
  conflict,
}: {
  notFound: NotFound
  conflict: Conflicting
}): Record<Absence, NotFound> & Record<Conflict, Conflicting> {
  const all = <Kind extends ProblemKind, Wire>(kinds: readonly Kind[], wire: Wire) =>
    Object.fromEntries(kinds.map((kind) => [kind, wire])) as Record<Kind, Wire>
  return { ...all(absences, notFound), ...all(conflicts, conflict) }
}
