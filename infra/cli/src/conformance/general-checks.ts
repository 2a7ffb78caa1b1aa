import { fileCall, unknownCall } from './operation-names.ts'
import type { Pace } from './pace.ts'
import type { Call } from './transcript.ts'

/** Calls that ask whether there is something to do. A client makes them while it is idle. */
const polls = new Set([
  'listPrintRuns',
  'listRecallRequests',
  'listReprints',
  'getReconciliation',
  'getWorkSummary',
  'getSerialStock',
  'listCapabilities',
  'sendHeartbeat',
  'whoami',
])
const open = new Set([fileCall, unknownCall, 'openapi', 'authenticate', 'listSigningKeys'])
const windowMs = 1_000

/** Returns what is wrong with any call, whatever the case. Each violation is reported once. */
export function checkCalls(calls: readonly Call[], pace: Pace): string[] {
  const faults = calls.flatMap((call) => faultsOf(call))
  const most = mostInWindow(calls.filter(({ kind }) => polls.has(kind)))
  if (most > pace.pollsPerSecondMax) {
    faults.push(`polled ${most} times in one second; at most ${pace.pollsPerSecondMax} are allowed`)
  }
  return [...new Set(faults)]
}

function faultsOf(call: Call): string[] {
  const { kind, method, secretInUrl, hasApiKey, hasAuthorization, status } = call
  const faults: string[] = []
  if (secretInUrl) faults.push(`an address contains the ${secretInUrl}`)
  if (kind === unknownCall) faults.push(`${method} was sent to an address that is not documented`)
  if (!open.has(kind) && !hasAuthorization) faults.push(`${kind} was sent without Authorization`)
  if (!open.has(kind) && !hasApiKey) faults.push(`${kind} was sent without X-API-Key`)
  if (status === 400) faults.push(`${kind} was refused as invalid (400)`)
  return faults
}

/** Returns the most calls within any one second. */
export function mostInWindow(calls: readonly Pick<Call, 'atMs'>[]): number {
  let most = 0
  let first = 0
  calls.forEach(({ atMs }, index) => {
    while (atMs - calls[first]!.atMs >= windowMs) first += 1
    most = Math.max(most, index - first + 1)
  })
  return most
}
