import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readConfig } from '@despatch/config/read-config'
import { printRequestConfig } from '@despatch/print-request/config'
import { createPrintRequest } from '@despatch/print-request/service'
import { createLogger } from '@despatch/telemetry/logger'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { someKeys } from '@despatch/testing/some-keys'
import { thirdpartyAccessConfig } from '@despatch/thirdparty-access/config'
import { createThirdpartyAccess } from '@despatch/thirdparty-access/service'

/** The address that consumers call, with the services for print jobs behind it. `watch` sees each request first, and may answer it. */
export async function aPrintGateway(
  databaseUrl: string,
  watch: (request: IncomingMessage, response: ServerResponse) => void = () => {},
) {
  const environment = {
    DATABASE_URL: databaseUrl,
    ...someKeys,
    ...objectStoreSettings(),
    PORT: '0',
  }
  const log = createLogger({ service: 'test', level: 'silent' })
  const access = await createThirdpartyAccess(readConfig(thirdpartyAccessConfig, environment), {
    log,
  })
  const printRequest = await createPrintRequest(readConfig(printRequestConfig, environment), {
    log,
  })
  await Promise.all([access.api.ready(), printRequest.api.ready()])
  const server = createServer((request, response) => {
    watch(request, response)
    if (response.writableEnded) return
    const service = request.url?.startsWith('/print-request/') ? printRequest : access
    service.api.routing(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    environment,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await printRequest.close()
      await access.close()
    },
  }
}
