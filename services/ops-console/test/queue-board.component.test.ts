import { randomUUID } from 'node:crypto'
import type { Service } from '@despatch/http/service'
import { openQueues } from '@despatch/queue/open-queues'
import { takeQueueBackends } from '@despatch/testing/queue-backends'
import { asService } from '@despatch/testing/service-logins'
import { shared } from '@despatch/testing/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aConsoleStage } from './a-console.ts'

const queueBackends = await takeQueueBackends()

const stage = await shared(aConsoleStage())
const cookie = await stage.signedIn('operator')

describe.each(queueBackends)('the queue board on $name', ({ url }) => {
  let service: Service
  const queues = openQueues({ url, onError: () => {} })

  beforeAll(async () => {
    service = await stage.aConsole({ QUEUE_URL: asService(url, 'ops-console') })
    await queues.enqueue('callback', [{ subject: randomUUID(), epoch: 1 }])
  })
  afterAll(async () => {
    await service.close()
    await queues.close()
  })

  test('shows every queue with its tasks', async () => {
    const page = await service.api.inject({ url: '/queues', headers: { cookie } })
    const answer = await service.api.inject({
      url: '/queues/api/queues?activeQueue=callback',
      headers: { cookie },
    })

    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('<base href="/queues/" />')
    expect(page.headers['content-security-policy']).toContain("default-src 'self'")
    expect(answer.statusCode).toBe(200)
    expect(
      answer
        .json()
        .queues.map(({ name, readOnlyMode, counts }: BoardQueue) => [
          name,
          readOnlyMode,
          counts.waiting,
        ]),
    ).toEqual([
      ['letters', true, 0],
      ['slow', true, 0],
      ['callback', true, 1],
    ])
  })

  test('serves the script of its page', async () => {
    const page = await service.api.inject({ url: '/queues', headers: { cookie } })
    const script = /src="(static\/js\/main[^"]+)"/.exec(page.body)?.[1]

    expect(
      (await service.api.inject({ url: `/queues/${script}`, headers: { cookie } })).statusCode,
    ).toBe(200)
  })

  const writes = [
    ['PUT', '/queues/api/queues/callback/pause'],
    ['PUT', '/queues/api/queues/callback/empty'],
    ['POST', '/queues/api/queues/callback/add'],
    ['PUT', '/queues/api/queues/callback/obliterate'],
  ] as const

  test.for(writes)('refuses %s %s', async ([method, target]) => {
    const answer = await service.api.inject({ method, url: target, headers: { cookie } })

    expect(answer.statusCode).toBe(405)
    expect((await queues.counts()).find(({ name }) => name === 'callback')?.waiting).toBe(1)
  })

  test('is for operators', async () => {
    const accept = 'text/html,*/*'
    const page = await service.api.inject({ url: '/queues', headers: { accept } })
    const script = await service.api.inject({ url: '/queues/api/queues' })

    expect([page.statusCode, page.headers.location]).toEqual([303, '/sign-in?next=%2Fqueues'])
    expect([script.statusCode, script.json()]).toEqual([
      401,
      {
        errors: [
          { status: '401 UNAUTHORIZED', code: 'Unauthorized', detail: 'Sign in to the console' },
        ],
      },
    ])
  })
})

type BoardQueue = { name: string; readOnlyMode: boolean; counts: { waiting: number } }
