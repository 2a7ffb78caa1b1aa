import { type Api, type ApiOptions, createApi } from './api.ts'
import { type HealthOptions, registerHealth } from './health.ts'
import type { ListenOptions } from './listen-options.ts'

type HealthApiOptions = HealthOptions &
  ListenOptions &
  Pick<ApiOptions, 'name' | 'log' | 'rendererAt'>

/** Creates the HTTP side of a service that only works in the background: health and metrics. */
export async function createHealthApi({
  name,
  log,
  metrics,
  ready,
  alive,
  showsChecks = true,
  ...options
}: HealthApiOptions): Promise<Api> {
  const api = await createApi({
    ...options,
    name,
    prefix: `/${name}`,
    log,
    metrics,
    bodyBytesMax: 1024,
    openapi: { title: name, description: 'Health and metrics', version: '1.0.0' },
    renderProblem: ({ kind, message }) => ({
      status: statuses[kind] ?? 404,
      body: { errors: [{ detail: message }] },
    }),
    renderFault: (errorId) => ({ status: 500, body: { errors: [{ detail: errorId }] } }),
  })
  registerHealth(api, { ready, alive, metrics, showsChecks })
  return api
}

const statuses: Readonly<Record<string, number>> = {
  'malformed-request': 400,
  'not-authenticated': 401,
  'method-not-allowed': 405,
  'request-timeout': 408,
  'body-too-large': 413,
  'expectation-failed': 417,
  'too-many-requests': 429,
  'headers-too-large': 431,
  unavailable: 503,
}
