import { renderPrintFault, renderPrintProblem } from '@despatch/contracts/print-request/problems'
import { serveEntrance } from '@despatch/gateway/apis/entrance'
import type { StartPageOptions } from '@despatch/gateway/apis/start-page'
import { createApi } from '@despatch/http/api'
import type { Service } from '@despatch/http/service'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'

export type EntranceOptions = StartPageOptions & {
  log: Logger
  metrics: Registry
  sourceRequestsPerSecond: number
}

/** Creates the service for every address that no API has: the reference, the way to it, and 404 in the print shape. */
export async function createEntrance({
  log,
  metrics,
  sourceRequestsPerSecond,
  ...options
}: EntranceOptions): Promise<Service> {
  const name = 'gateway'
  const api = await createApi({
    name,
    log,
    metrics,
    sourceRequestsPerSecond,
    prefix: '/gateway',
    bodyBytesMax: 1024,
    openapi: { title: name, description: 'The entrance to the APIs', version: '1.0.0' },
    renderProblem: renderPrintProblem,
    renderFault: renderPrintFault,
  })
  serveEntrance(api, options)
  return { name, api, ready: async () => [], close: () => api.close() }
}
