import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { onTestFinished } from 'vitest'
import { type ApiOptions, createApi } from '../src/api.ts'

export const statuses: Readonly<Record<string, number>> = {
  'invalid-field': 400,
  'malformed-request': 400,
  'unreadable-body': 400,
  'not-authenticated': 401,
  'not-permitted': 403,
  'route-not-found': 404,
  'vehicle-not-found': 404,
  'method-not-allowed': 405,
  'request-timeout': 408,
  'body-too-large': 413,
  'unsupported-media-type': 415,
  'expectation-failed': 417,
  'too-many-requests': 429,
  'headers-too-large': 431,
  'source-failed': 502,
  'source-unavailable': 503,
  unavailable: 503,
  'source-timed-out': 504,
}

/** An API without routes, and what it logs. It closes after the test. */
export async function aSmallApi(options: Partial<ApiOptions> = {}) {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const metrics = options.metrics ?? createMetrics('things')
  const api = await createApi({
    name: 'things',
    prefix: '/things',
    log: createLogger({ service: 'things', destination }),
    metrics,
    bodyBytesMax: 1_000,
    openapi: { title: 'Things', description: 'Things to test with', version: '1.0.0' },
    renderProblem: ({ kind, message }) => {
      const status = statuses[kind]
      return status === undefined ? undefined : { status, body: { kind, detail: message } }
    },
    renderFault: (errorId) => ({ status: 500, body: { errorId } }),
    ...options,
  })
  onTestFinished(() => api.close())
  return { api, lines, metrics }
}
