import dns from 'node:dns'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { anApi, askFromElsewhere, attackers, closing, openMany } from './many-connections.ts'

/** IDLE_CONNECTIONS=10000 opens more. The limit of open files must be twice as high. */
const idleCount = Number(process.env.IDLE_CONNECTIONS ?? 2_000)
const idleMax = Math.min(idleCount / 4, 4_000)

const openConnections = (api: Awaited<ReturnType<typeof anApi>>['api']) =>
  new Promise<number>((resolve) => api.server.getConnections((_error, count) => resolve(count)))

test('new connections replace idle ones above the limit, and other callers are served', async () => {
  const { api, port } = await anApi({ max: idleMax, isGivingUp: false })

  await openMany(port, idleCount)

  await expect.poll(() => openConnections(api)).toBeLessThanOrEqual(idleMax)
  expect(await askFromElsewhere(port)).toBe(200)
  expect(await openConnections(api)).toBeLessThanOrEqual(idleMax)
})

test('a connection with an outstanding response is not replaced', async () => {
  const handled = Promise.withResolvers<object>()
  const begun = Promise.withResolvers<void>()
  const handler = () => {
    begun.resolve()
    return handled.promise
  }
  const { port } = await anApi({ max: 2, handler })
  const asked = askFromElsewhere(port)
  await begun.promise

  await openMany(port, 20)
  handled.resolve({ ok: true })

  expect(await asked).toBe(200)
})

test('a connection that pipelines is not replaced while its later request is answered', async () => {
  const bothHandled = Promise.withResolvers<object>()
  const firstAnswered = Promise.withResolvers<void>()
  let requests = 0
  const handler = async () => {
    requests += 1
    return requests === 1 ? { ok: true } : await bothHandled.promise
  }
  const { port } = await anApi({ max: 1, handler })
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  let answers = ''
  client.on('data', (part) => {
    answers += part
    firstAnswered.resolve()
  })
  const one =
    'POST /things/v1/things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'
  client.write(one + one)
  await firstAnswered.promise
  await expect.poll(() => requests).toBe(2)

  await closing(await openMany(port, 1))
  bothHandled.resolve({ ok: true })

  await expect.poll(() => answers.match(/HTTP\/1\.1 200/g)?.length).toBe(2)
})

test('refuses floods of headers with 431, and serves other callers', async () => {
  const { port } = await anApi({ max: 1_000 })
  const headers = Array.from({ length: 900 }, (_, index) => `x-${index}: ${'a'.repeat(20)}\r\n`)
  const flood = `GET /things HTTP/1.1\r\nhost: x\r\n${headers.join('')}\r\n`
  const first = connect(port, '127.0.0.1')
  onTestFinished(() => void first.destroy())
  first.write(flood)
  const [answer] = await once(first, 'data')
  const sockets = await openMany(port, attackers, flood)

  expect(String(answer)).toMatch(/^HTTP\/1\.1 431 /)
  expect(await askFromElsewhere(port)).toBe(200)
  await closing(sockets)
})

test('listens only on one address of localhost, so that no second server lacks the limits', async () => {
  const other = '127.0.0.2'
  const lookup = vi.spyOn(dns, 'lookup') as unknown as ReturnType<typeof vi.fn>
  onTestFinished(() => lookup.mockRestore())
  lookup.mockImplementation((name, _options, found) => {
    const addresses = name === 'localhost' ? ['127.0.0.1', other] : [name]
    found(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )
  })

  const { port } = await anApi({ host: 'localhost' })

  const [error] = await once(connect(port, other), 'error')
  expect(error.code).toBe('ECONNREFUSED')
})
