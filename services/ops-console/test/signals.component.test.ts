import { createLogger } from '@despatch/telemetry/logger'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { compareWithDocumentation } from '@despatch/testing/documented-metrics'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { createOpsConsole } from '../src/service.ts'

const clone = await shared(cloneDatabase())

const service = await createOpsConsole(
  {
    DESPATCH_ENVIRONMENT: 'production',
    DATABASE_URL: clone.serviceUrl('ops-console'),
    DESPATCH_KEY_CONSOLE: '00'.repeat(32),
    DESPATCH_KEY_CONSOLE_PREVIOUS: [],
    DESPATCH_OIDC_LOCAL_ACCOUNTS: true,
    HOST: '127.0.0.1',
    PORT: 0,
    DESPATCH_SOURCE_REQUESTS_PER_SECOND: 50,
    DESPATCH_CONNECTIONS_MAX: 1_000,
    DESPATCH_KEEP_ALIVE_MS: 72_000,
    DESPATCH_STOP_DELAY_MS: 0,
    LOG_LEVEL: 'silent',
  },
  { log: createLogger({ service: 'ops-console', level: 'silent' }) },
)
const body = (await service.api.inject({ url: '/metrics' })).body
await service.close()

test('exposes the metrics that are documented, as they are', () => {
  expect(compareWithDocumentation('ops-console', body)).toEqual({ undocumented: [], missing: [] })
})

test('an empty system: nothing is stuck, no site works, nothing is violated', () => {
  const samples = body
    .split('\n')
    .filter((line) => /^(stuck_seconds|print_sites_working|invariant_violations)\b/.test(line))

  expect(samples).toEqual([
    'stuck_seconds{status="QUARANTINE",service="ops-console"} 0',
    'stuck_seconds{status="VALIDATING",service="ops-console"} 0',
    'stuck_seconds{status="PENDING",service="ops-console"} 0',
    'stuck_seconds{status="PRODUCTION",service="ops-console"} 0',
    'print_sites_working{service="ops-console"} 0',
    'invariant_violations{check="event-sequence",service="ops-console"} 0',
    'invariant_violations{check="callback-sequence",service="ops-console"} 0',
    'invariant_violations{check="live-documents",service="ops-console"} 0',
    'invariant_violations{check="unended-callbacks",service="ops-console"} 0',
    'invariant_violations{check="held-in-run",service="ops-console"} 0',
    'invariant_violations{check="unwatched-steps",service="ops-console"} 0',
    'invariant_violations{check="kept-counts",service="ops-console"} 0',
  ])
})
