import { renderFulfilmentProblem } from '@despatch/contracts/print-fulfilment/problems'
import { renderAccessProblem } from '@despatch/contracts/thirdparty-access/problems'
import { Problem } from '@despatch/domain/problem'
import type { Answer } from './conformance-case.ts'
import type { Call } from './transcript.ts'

const type = { 'content-type': 'application/json; charset=utf-8' }

/** Returns 503 or 429 with Retry-After, in the error format of the called API. */
export function refusedForNow(
  { kind }: Pick<Call, 'kind'>,
  { status, retryAfterSeconds }: { status: 429 | 503; retryAfterSeconds: number },
): { fault: 'unavailable'; answer: Answer } {
  const problem =
    status === 503
      ? new Problem('unavailable', 'The service cannot take the request at present')
      : new Problem('too-many-requests', 'More requests than the usage plan allows')
  const { body } =
    kind === 'authenticate' ? renderAccessProblem(problem) : renderFulfilmentProblem(problem)
  const headers = { ...type, 'retry-after': String(retryAfterSeconds) }
  const bytes = Buffer.from(JSON.stringify(body))
  return { fault: 'unavailable', answer: { status, headers, body: bytes } }
}

/** Returns 401, as the platform answers a token that has expired. */
export function tokenExpired(): Answer {
  const problem = new Problem(
    'not-authenticated',
    'API key or JWT not provided, expired or invalid',
  )
  const body = Buffer.from(JSON.stringify(renderFulfilmentProblem(problem).body))
  return { status: 401, headers: type, body }
}
