import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { stopWhenWeDie } from '@despatch/embedded/watchdog'
import { eventually } from './eventually.ts'
import { onFreePort } from './on-free-port.ts'

export type Redis = { url: string; pid: number; stop(): Promise<void> }

/** Enough for every test file of a run. */
export const redisDatabases = 1024

/**
 * Starts this machine's redis-server on a free port. Returns undefined if it has none. Without a directory it stores
 * nothing; otherwise it writes to the directory, which must exist, every second. `stop` kills it.
 */
export function startRedis({ directory }: { directory?: string } = {}): Promise<Redis | undefined> {
  return onFreePort((port) => startRedisOn(port, directory))
}

async function startRedisOn(port: number, directory?: string): Promise<Redis | undefined> {
  const server = spawn('redis-server', ['-'], {
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const started = await new Promise<boolean>((resolve) => {
    server.once('spawn', () => resolve(true))
    server.once('error', () => resolve(false))
  })
  if (!started) return undefined

  server.unref()
  stopWhenWeDie(server)
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  server.stdin.end(
    [
      `port ${port}`,
      'bind 127.0.0.1',
      'save ""',
      ...(directory === undefined
        ? ['appendonly no']
        : [`dir ${directory}`, 'appendonly yes', 'appendfsync everysec']),
      'maxmemory-policy noeviction',
      `databases ${redisDatabases}`,
    ].join('\n'),
  )
  const url = `redis://127.0.0.1:${port}`
  const isReady = eventually(async () => (await askRedis(url, 'PING')) === '+PONG', {
    message: 'redis-server takes connections',
  })
  const hasEnded = ended.then(() => Promise.reject(new Error('redis-server ended')))
  await Promise.race([isReady, hasEnded])
  return {
    url,
    pid: server.pid!,
    async stop() {
      server.kill('SIGKILL')
      await ended
    },
  }
}

/** Sends one command and returns the first line of the answer unchanged: `+OK`, `:1`, `-ERR …`. */
export async function askRedis(url: string, command: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(Number(port || 6379), hostname, () => socket.write(`${command}\r\n`))
  let answer = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    answer += text
    const end = answer.indexOf('\r\n')
    if (end >= 0) resolve(answer.slice(0, end))
  })
  socket.once('error', reject)
  socket.once('close', () => reject(new Error(`Redis hung up on ${command}`)))
  return promise.finally(() => socket.destroy())
}
