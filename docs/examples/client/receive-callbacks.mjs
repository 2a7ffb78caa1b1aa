// Receives callbacks at a port and verifies them. DESPATCH_CALLBACK_SECRETS: your secrets, separated by spaces.
import { createServer } from 'node:http'

import { buffer } from 'node:stream/consumers'
import { DespatchError, verifyCallback } from '@despatch/client'

const { DESPATCH_CALLBACK_SECRETS = '', PORT = '9090' } = process.env
const secrets = DESPATCH_CALLBACK_SECRETS.split(' ')
const processed = new Set()

const server = createServer(async (request, response) => {
  try {
    const body = await buffer(request)
    const { id, type, data } = await verifyCallback({ headers: request.headers, body, secrets })
    // a real receiver saves the id with the effect of the message, in one transaction
    if (!processed.has(id)) console.log(type, data.jobId ?? '', data.jobStatus ?? '')
    processed.add(id)
    response.writeHead(204).end()
  } catch (error) {
    const isForeign = error instanceof DespatchError && error.kind === 'not-verified'
    response.writeHead(isForeign ? 401 : 500).end()
  }
})
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  console.log(`listens at http://127.0.0.1:${port}/callbacks`)
})
