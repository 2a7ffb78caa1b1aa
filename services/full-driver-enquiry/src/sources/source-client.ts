import { Agent, type Dispatcher } from 'undici'
import type { z } from 'zod'
import type { AskSource, SourceAnswer } from './source-answer.ts'

type SourceClientOptions<Data> = {
  /** The address of the source. Its path precedes that of the operation. */
  url: string
  path: string
  token: string
  schema: z.ZodType<Data>
  /** From the start of the call to the last byte of the response. */
  deadlineMs: number
}

type SourceClient<Data> = { ask: AskSource<Data>; close(): Promise<void> }

const connectionsMax = 64
const answerBytesMax = 64 * 1024

/**
 * Opens a client that calls a source over HTTP. Time and size of the response are limited. Only the body contains the
 * number.
 */
export function openSourceClient<Data>({
  url,
  path,
  token,
  schema,
  deadlineMs,
}: SourceClientOptions<Data>): SourceClient<Data> {
  const { origin, pathname } = new URL(url)
  const agent = new Agent({
    connections: connectionsMax,
    pipelining: 1,
    connect: { timeout: deadlineMs },
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    maxResponseSize: answerBytesMax,
  })
  const call = {
    origin,
    path: `${pathname.replace(/\/$/, '')}${path}`,
    method: 'POST',
  } as const
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }

  return {
    async ask(drivingLicenceNumber, correlationId) {
      try {
        const answer = await agent.request({
          ...call,
          headers: { ...headers, 'x-correlation-id': correlationId },
          body: JSON.stringify({ drivingLicenceNumber }),
          signal: AbortSignal.timeout(deadlineMs),
        })
        return await readAnswer(answer, schema)
      } catch (error) {
        return readFailure(error)
      }
    },
    // Calls under way end by their own deadline.
    close: () => agent.close(),
  }
}

async function readAnswer<Data>(
  { statusCode, body }: Dispatcher.ResponseData,
  schema: z.ZodType<Data>,
): Promise<SourceAnswer<Data>> {
  if (statusCode !== 200) {
    // the status decides; an error in the body does not change the result
    await body.dump({ limit: answerBytesMax }).catch(() => {})
    return { kind: kindOfStatus(statusCode), reason: `status-${statusCode}` }
  }
  const result = schema.safeParse(await body.json())
  if (!result.success) return { kind: 'failed', reason: 'unexpected-answer' }
  return { kind: 'answered', data: result.data }
}

function kindOfStatus(status: number): 'failed' | 'unavailable' | 'timed-out' {
  if (status === 503) return 'unavailable'
  return status === 504 ? 'timed-out' : 'failed'
}

const timeOuts = [
  'TimeoutError',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]
/** Errors of a response that arrived and was wrong. */
const brokenAnswers = [
  'SyntaxError',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_HEADERS_OVERFLOW',
]

/** Every other error is one of the connection: the source is not reachable. */
function readFailure(error: unknown): SourceAnswer<never> {
  const reason = classOf(error)
  if (timeOuts.includes(reason)) return { kind: 'timed-out', reason }
  const isBroken = brokenAnswers.includes(reason) || reason.startsWith('HPE_')
  return { kind: isBroken ? 'failed' : 'unavailable', reason }
}

function classOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(typeof code === 'string' ? code : name)
}
