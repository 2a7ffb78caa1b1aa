import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const deadline = { timeout: 20_000 }
const fixture = fileURLToPath(new URL('fixture-service.ts', import.meta.url))

function start(port: number) {
  const child = spawn(process.execPath, [fixture, String(port)])
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (output.stdout += text))
  child.stderr.on('data', (text) => (output.stderr += text))
  const exited = once(child, 'exit').then(([code]) => code as number)
  const lines = (): { msg: string }[] =>
    output.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const said = (msg: string) =>
    expect.poll(() => lines().some((line) => line.msg.startsWith(msg)), deadline).toBe(true)
  return { child, output, exited, lines, said }
}

test.for(['SIGTERM', 'SIGINT'] as const)(
  'on %s answers what is under way, closes and exits with 0',
  deadline,
  async (signal) => {
    const service = start(0)
    await service.said('service.started')
    const address = service.lines()[0]?.msg.replace('service.started at ', '')
    const slow = fetch(`${address}/fixture/v1/slow`)
    await service.said('slow.started')

    service.child.kill(signal)

    expect(await (await slow).json()).toEqual({ done: true })
    expect(await service.exited).toBe(0)
    expect(service.lines().at(-1)).toMatchObject({ msg: 'service.closed', signal })
  },
)

test('says in one line that the port is in use, and exits with 1', deadline, async () => {
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
