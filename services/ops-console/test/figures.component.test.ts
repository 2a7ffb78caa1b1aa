import { openDatabase } from '@despatch/store/database'
import { endOutage, noteOutage } from '@despatch/store/outage/outages'
import { Counter, createMetrics } from '@despatch/telemetry/metrics'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aConsoleStage } from './a-console.ts'
import { insertProblems } from './insert-problems.ts'

const stage = await shared(aConsoleStage())
await insertProblems(stage.db)

test('metrics hold the overview and what other services of the process count', async () => {
  const other = createMetrics('intake')
  new Counter({ name: 'things_total', help: 'Things', registers: [other] }).inc(3)
  const service = await stage.aConsole({}, { extraMetrics: [other] })

  const { body, headers } = await service.api.inject({ url: '/metrics' })

  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(body).toContain('things_total{service="intake"} 3')
  expect(body).toContain('print_jobs{status="QUARANTINE",service="ops-console"} 1')
  expect(body).toContain('print_jobs_parked{service="ops-console"} 1')
  expect(body).toContain('letters_waiting{lane="plain",service="ops-console"} 0')
  expect(body).toContain('letters_waiting_oldest_seconds{lane="slow",service="ops-console"} 0')
  expect(body).toContain('letters_postponed{service="ops-console"} 0')
  expect(body).toContain('batches_offered{queue="letters",service="ops-console"} 0')
  expect(body).toContain('callbacks_due{service="ops-console"} 1')
  expect(body).toContain('callbacks_late_seconds{service="ops-console"} 0')
  expect(body).toContain('callbacks_dead_last_day{service="ops-console"} 3')
  expect(body).toContain('callback_breakers_open{service="ops-console"} 1')
  expect(body).toMatch(/^callback_breakers_open_oldest_seconds\{service="ops-console"\} 73\d\d/m)
  expect(body).toContain('printing_waiting{what="unroutable",service="ops-console"} 0')
  expect(body).toContain('printing_waiting_oldest_seconds{what="reprints",service="ops-console"} 0')
  expect(body).toContain('overview_readable{service="ops-console"} 1')
  await service.close()
})

test('an outage that a service sees is one concern and one figure, until it ends', async () => {
  const seen = { service: 'pipeline', dependency: 'object-store' } as const
  await noteOutage(stage.db, { ...seen, reason: 'ECONNREFUSED', ageMs: 900_000 })
  const service = await stage.aConsole()
  const during = await service.api.inject({ url: '/metrics' })
  await endOutage(stage.db, seen)
  const later = await stage.aConsole()
  const after = await later.api.inject({ url: '/metrics' })

  expect(during.body).toMatch(
    /^dependency_outage_seconds\{dependency="object-store",service="ops-console"\} 9\d\d/m,
  )
  expect(after.body).not.toMatch(/^dependency_outage_seconds\{/m)
  await Promise.all([service.close(), later.close()])
})

test('the transaction that is open for longest is a figure, by its service, until it ends', async () => {
  const open = async (name: string) => {
    const database = openDatabase(stage.databaseUrl, { name, connectionsMax: 1 })
    const client = await database.pool.connect()
    await client.query('begin')
    return async () => {
      client.release(true)
      await database.close()
    }
  }
  const read = async () => {
    const service = await stage.aConsole()
    const { body } = await service.api.inject({ url: '/metrics' })
    await service.close()
    return [...body.matchAll(/^database_transaction_oldest_seconds\{application="([^"]*)"/gm)].map(
      ([, application]) => application,
    )
  }
  const endReport = await open('Ms Brown reads')
  const endCallbacks = await open('callbacks')

  const first = await read()
  await endReport()
  const second = await read()
  await endCallbacks()

  expect([first, second]).toEqual([['other'], ['callbacks']])
})

test('without a database metrics show it, and it is not ready', async () => {
  const service = await stage.aConsole({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    QUEUE_URL: stage.databaseUrl,
  })

  const metrics = await service.api.inject({ url: '/metrics' })
  const ready = await service.api.inject({ url: '/health/ready' })

  expect(metrics.body).toContain('overview_readable{service="ops-console"} 0')
  expect(metrics.body).not.toMatch(/^print_jobs_parked\{/m)
  expect([ready.statusCode, ready.json().checks]).toEqual([
    503,
    [
      { name: 'database', ok: false, reason: 'ECONNREFUSED' },
      { name: 'queues', ok: true },
    ],
  ])
  await service.close()
})
