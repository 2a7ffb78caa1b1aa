import type { Open } from './open.ts'

/** An error as the APIs write it. */
export type ApiProblem = {
  /** Such as `409 CONFLICT`. */
  status: string
  /** Machine-readable, such as `11` or `NotNull`. Later releases may add codes. */
  code: string
  /** A heading, or the field or document that the error is about. */
  title?: string
  detail: string
}

/**
 * refused: the API answered with an error. unreachable: there was no answer. timeout: an answer or a status did not
 * come in time. not-verified: a callback is not from Despatch, a manifest
 * contradicts itself, or a file is not the one of the manifest.
 */
export type DespatchErrorKind = Open<'refused' | 'unreachable' | 'timeout' | 'not-verified'>

export type DespatchErrorDetails = {
  kind: DespatchErrorKind
  status?: number | undefined
  problems?: readonly ApiProblem[] | undefined
  correlationId?: string | undefined
  retryAfterSeconds?: number | undefined
  mayHaveTakenEffect?: boolean | undefined
}

/** The only error that this library throws, besides the reason of an aborted signal. It never contains a secret. */
export class DespatchError extends Error {
  readonly kind: DespatchErrorKind
  /** Status of the HTTP answer, if there was one. */
  readonly status: number | undefined
  /** Code of the first problem. */
  readonly code: string | undefined
  /** What the API reported, with one entry for each violation. */
  readonly problems: readonly ApiProblem[]
  /** Operators of Despatch find the request by it. */
  readonly correlationId: string | undefined
  /** The time in `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
  /** Whether Despatch may have carried out the request although no answer said so. */
  readonly mayHaveTakenEffect: boolean

  constructor(message: string, details: DespatchErrorDetails) {
    super(message)
    this.name = 'DespatchError'
    this.kind = details.kind
    this.status = details.status
    this.problems = details.problems ?? []
    this.code = this.problems[0]?.code
    this.correlationId = details.correlationId
    this.retryAfterSeconds = details.retryAfterSeconds
    this.mayHaveTakenEffect = details.mayHaveTakenEffect ?? false
  }
}

/**
 * Reads a refusal in either error format of the APIs: a list of problems, alone or below `errors`. What else is in the
 * body is ignored.
 */
export function refusalOf(
  response: { status: number; headers: { get(name: string): string | null } },
  body: unknown,
  retryAfterSeconds: number | undefined,
): DespatchError {
  const { errors = body } = (body ?? {}) as { errors?: unknown }
  const problems = (Array.isArray(errors) ? errors : []).flatMap(problemOf)
  const details = problems.map(({ code, detail }) => detail || code).join('; ')
  return new DespatchError(`${response.status}: ${details || 'no details'}`, {
    kind: 'refused',
    status: response.status,
    problems,
    correlationId: response.headers.get('x-correlation-id') ?? undefined,
    retryAfterSeconds,
  })
}

function problemOf(error: unknown): ApiProblem[] {
  if (typeof error !== 'object' || error === null) return []
  const { status, code, title, detail } = error as Record<string, unknown>
  return [
    {
      status: String(status ?? ''),
      code: String(code ?? ''),
      ...(typeof title === 'string' && { title }),
      detail: String(detail ?? title ?? ''),
    },
  ]
}
