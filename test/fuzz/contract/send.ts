import { Agent, request as httpRequest } from 'node:http'
import { type FuzzRequest, targetOf } from './make-request.ts'

export type Answer = {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

/** The answer, or the reason why there is none. */
export type Outcome = { answer: Answer } | { broke: string }

export type Sender = { send(request: FuzzRequest): Promise<Outcome>; close(): void }

const answerDeadlineMs = 30_000

/** Sends requests to their server: administration to the operators' address, everything else to the base address. */
export function createSender({ baseUrl, opsUrl }: { baseUrl: string; opsUrl: string }): Sender {
  const agent = new Agent({ keepAlive: true })
  const send = async (request: FuzzRequest): Promise<Outcome> => {
    const origin = request.operation.api === 'administration' ? opsUrl : baseUrl
    const outcome = await sendOnce(request, origin, agent)
    // the server may have closed an idle connection just before it was reused
    return 'isStale' in outcome ? await sendOnce(request, origin, agent) : outcome
  }
  return { send, close: () => agent.destroy() }
}

function sendOnce(
  fuzzed: FuzzRequest,
  origin: string,
  agent: Agent,
): Promise<Outcome & { isStale?: true }> {
  const { promise, resolve } = Promise.withResolvers<Outcome & { isStale?: true }>()
  const { operation, headers, credentials, body, isChunked } = fuzzed
  const { hostname, port } = new URL(origin)
  const request = httpRequest({
    hostname,
    port,
    agent,
    method: operation.method,
    path: targetOf(fuzzed),
    headers: {
      ...headers,
      ...credentials,
      ...(body && !isChunked && { 'content-length': body.length }),
      ...(body && isChunked && { 'transfer-encoding': 'chunked' }),
    },
    signal: AbortSignal.timeout(answerDeadlineMs),
  })
  request.on('response', (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk) => chunks.push(chunk))
    response.on('end', () =>
      resolve({
        answer: {
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(chunks),
        },
      }),
    )
    response.on('error', (error) => resolve({ broke: `the answer broke off: ${error.message}` }))
  })
  request.on('error', (error: NodeJS.ErrnoException) => {
    const isStale = request.reusedSocket && error.code === 'ECONNRESET'
    resolve({ broke: `no answer: ${error.code ?? error.name}`, ...(isStale && { isStale }) })
  })
  request.end(body)
  return promise
}
