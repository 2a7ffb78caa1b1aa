import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { CallbackMessage } from '@despatch/client/verify-callback'
import { callbackEnvelope } from '@despatch/contracts/callback/envelope'

/**
 * The consumer's own server on a free port of 127.0.0.1. It refuses a callback without the credential that the print
 * job named, or with a body of another form, as a careful consumer would.
 */
export async function startCallbackReceiver(
  authenticationHeader: string,
  onCallback: (message: CallbackMessage) => void,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async (request, response) => {
    const body = await json(request).catch(() => undefined)
    const isGood =
      request.headers.authorization === authenticationHeader &&
      callbackEnvelope.safeParse(body).success
    if (isGood) onCallback(body as CallbackMessage)
    response.writeHead(isGood ? 204 : 400).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/letters/status`,
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}
