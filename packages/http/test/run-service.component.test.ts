import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const fixture = fileURLToPath(new URL('fixture-service.ts', import.meta.url))

function start(port: number, { stopDelayMs = 0 } = {}) {
  const child = spawn(process.execPath, [fixture, String(port), String(stopDelayMs)])
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (output.stdout += text))
  child.stderr.on('data', (text) => (output.stderr += text))
  const exited = once(child, 'close').then(([code]) => code as number)
  const lines = (): { msg: string }[] =>
    output.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const said = (msg: string) =>
    expect.poll(() => lines().some((line) => line.msg.startsWith(msg))).toBe(true)
  return { child, output, exited, lines, said }
}

test.for(['SIGTERM', 'SIGINT'] as const)(
  'on %s finishes requests in progress, closes and exits with 0',
  async (signal) => {
    const service = start(0)
    await service.said('service.started')
    const address = service.lines()[0]?.msg.replace('service.started at ', '')
    const slow = fetch(`${address}/fixture/v1/slow`)
    await service.said('slow.started')

    service.child.kill(signal)

    expect(await (await slow).json()).toEqual({ done: true })
    expect(await service.exited).toBe(0)
    // The log line of the request may come after it.
    expect(service.lines()).toContainEqual(
      expect.objectContaining({ msg: 'service.closed', signal }),
    )
  },
)

test('on SIGTERM becomes not ready and continues to answer until its delay is over', async () => {
  const service = start(0, { stopDelayMs: 600_000 })
  await service.said('service.started')
  const address = service.lines()[0]?.msg.replace('service.started at ', '')
  const ask = (path: string) => fetch(`${address}${path}`)
  expect((await ask('/health/ready')).status).toBe(200)

  service.child.kill('SIGTERM')

  await expect.poll(async () => (await ask('/health/ready')).status).toBe(503)
  expect(await (await ask('/health/ready')).json()).toEqual({
    status: 'not-ready',
    checks: [{ name: 'stopping', ok: false, reason: 'it is shutting down' }],
  })
  const answer = await ask('/fixture/v1/openapi.json')
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  service.child.kill('SIGINT')
  expect(await service.exited).toBe(0)
})

test('exits with 1 and one log line when the port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }

  const service = start(port)

  expect(await service.exited).toBe(1)
  expect(service.output.stderr).toBe(
    `fixture cannot start: port ${port} of 127.0.0.1 is in use; set PORT to another\n`,
  )
})

const burst = 1_000
const somaxconn = Number(await readFile('/proc/sys/net/core/somaxconn', 'utf8').catch(() => 0))

test.runIf(somaxconn >= burst)(
  `${burst} callers that connect while the process is busy are all served`,
  async () => {
    const service = start(0)
    await service.said('service.started')
    const { port } = new URL(service.lines()[0]!.msg.replace('service.started at ', ''))
    service.child.kill('SIGSTOP')

    const sockets = Array.from({ length: burst }, () => connect(Number(port), '127.0.0.1'))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })

    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  },
)
