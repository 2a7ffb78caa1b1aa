import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type CallbackEnvelope, callbackEnvelope } from '@despatch/contracts/callback/envelope'

export type ReceivedCallback =
  | { kind: 'accepted'; envelope: CallbackEnvelope }
  | { kind: 'refused'; reason: string }

export type CallbackReceiver = AsyncDisposable & { url: string }

const answers = { accepted: 204, refused: 400 } as const

/**
 * The consumer's own server on a free port of 127.0.0.1, which receives the callbacks. It checks the credential that
 * the print job named and the form of the body, as a careful consumer would.
 */
export async function startCallbackReceiver({
  authenticationHeader,
  onCallback,
}: {
  authenticationHeader: string
  onCallback: (callback: ReceivedCallback) => void
}): Promise<CallbackReceiver> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const callback = judge(request, await text(request), authenticationHeader)
    onCallback(callback)
    response.writeHead(answers[callback.kind]).end()
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/letters/status`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function judge(
  { method, headers }: IncomingMessage,
  body: string,
  authenticationHeader: string,
): ReceivedCallback {
  if (method !== 'POST') return { kind: 'refused', reason: `a ${method} instead of a POST` }
  if (headers.authorization !== authenticationHeader) {
    return { kind: 'refused', reason: 'another credential than the print job named' }
  }
  const parsed = callbackEnvelope.safeParse(parseJson(body))
  if (parsed.success) return { kind: 'accepted', envelope: parsed.data }
  const [issue] = parsed.error.issues
  return { kind: 'refused', reason: `${issue?.path.join('.')} ${issue?.message}` }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
