import { hash } from 'node:crypto'
import type { PlayedCase } from './play-case.ts'
import type { ConformanceOutcome } from './run-conformance.ts'
import type { Call } from './transcript.ts'

/** Parameters without personal or secret data. */
const shownParameters = new Set([
  'state',
  'printLocation',
  'despatchMethod',
  'cursor',
  'limit',
  'format',
])

/** Returns the report with its evidence: every call of each case, without credentials and without contents. */
export function renderReport({ startedAt, played, isInterrupted }: ConformanceOutcome) {
  const count = (result: string) => played.filter(({ verdict }) => verdict.result === result).length
  return {
    kit: 'despatch provider-conformance',
    startedAt: startedAt.toISOString(),
    isInterrupted,
    passed: count('PASS'),
    failed: count('FAIL'),
    notShown: count('NOT SHOWN'),
    cases: played.map(renderCase),
  }
}

/** Returns 0 if no case has failed and all requested cases were played, otherwise 1. */
export function exitCodeOf({ played, isInterrupted }: ConformanceOutcome): 0 | 1 {
  const hasFailed = played.some(({ verdict }) => verdict.result === 'FAIL')
  return hasFailed || isInterrupted || played.length === 0 ? 1 : 0
}

function renderCase({ id, title, batchNumber, verdict, durationMs, calls }: PlayedCase) {
  const { result, reason } = verdict
  return {
    id,
    title,
    result,
    ...(reason !== '' && { reason }),
    batchNumber,
    durationMs,
    calls: calls.map(renderCall),
  }
}

function renderCall(call: Call) {
  const { bodyBytes, answerBytes, fault, idempotencyKey, retryAfterSeconds } = call
  return {
    atMs: Math.round(call.atMs),
    operation: call.kind,
    method: call.method,
    path: pathOf(call),
    status: call.status ?? null,
    ...(fault && { playedFault: fault }),
    headers: {
      authorization: call.hasAuthorization ? 'given' : 'absent',
      'x-api-key': call.hasApiKey ? 'given' : 'absent',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    ...(bodyBytes.byteLength > 0 &&
      call.kind !== 'authenticate' && { requestSha256: hash('sha256', bodyBytes) }),
    ...(answerBytes?.byteLength &&
      call.kind !== 'authenticate' && { answerSha256: hash('sha256', answerBytes) }),
  }
}

/** Withholds an address that contains part of the credentials. */
function pathOf({ url, kind, secretInUrl }: Call): string {
  if (secretInUrl) return `[withheld: it contains the ${secretInUrl}]`
  const [path = '/', query = ''] = url.split('?', 2)
  // The secret part of a link would still open the file.
  const shownPath = kind === 'file' ? path.replace(/^(\/[^/]+\/)[^/]+/, '$1…') : path
  const shown = [...new URLSearchParams(query)].map(
    ([name, value]) => `${name}=${shownParameters.has(name) ? value : '…'}`,
  )
  return shown.length > 0 ? `${shownPath}?${shown.join('&')}` : shownPath
}
