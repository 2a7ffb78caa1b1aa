import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stopWhenWeDie } from '@despatch/embedded/watchdog'
import type { Certificate } from './certificates.ts'
import { eventually } from './eventually.ts'
import { onFreePort } from './on-free-port.ts'
import { scratchFolder } from './scratch-folder.ts'

export type Redis = { url: string; pid: number; stop(): Promise<void> }

/** Enough for every test file of a run. */
export const redisDatabases = 1024

export type RedisServerOptions = {
  /** Where it writes every second; it must exist. Default: it stores nothing. */
  directory?: string
  /** With TLS: no port takes anything else. */
  tls?: Certificate & { authority: string }
  /** Further lines of its configuration. */
  settings?: readonly string[]
}

/** Starts this machine's redis-server on a free port. Returns undefined if it has none. `stop` kills it. */
export function startRedis(options: RedisServerOptions = {}): Promise<Redis | undefined> {
  return onFreePort((port) => startRedisOn(port, options))
}

function startRedisOn(
  port: number,
  { directory, tls, settings = [] }: RedisServerOptions,
): Promise<Redis | undefined> {
  return runRedisServer(['-'], addressOf(port, tls), [
    ...listening(port, tls),
    'save ""',
    ...(directory === undefined
      ? ['appendonly no']
      : [`dir ${directory}`, 'appendonly yes', 'appendfsync everysec']),
    'maxmemory-policy noeviction',
    `databases ${redisDatabases}`,
    ...settings,
  ])
}

/** Returns the settings with which a server listens on this port, and on no other. */
export function listening(port: number, tls: RedisServerOptions['tls']): string[] {
  const ports = tls ? ['port 0', `tls-port ${port}`, ...tlsSettings(tls)] : [`port ${port}`]
  return [...ports, 'bind 127.0.0.1']
}

export function addressOf(port: number, tls: RedisServerOptions['tls']): string {
  return tls
    ? `rediss://localhost:${port}?cacert=${encodeURIComponent(tls.authority)}`
    : `redis://127.0.0.1:${port}`
}

/** Starts redis-server with these lines as its input, and waits until it takes connections at the address. */
export async function runRedisServer(
  parameters: readonly string[],
  url: string,
  settings: readonly string[] = [],
): Promise<Redis | undefined> {
  // a folder of its own: Redis loads the snapshot that it finds where it starts
  const folder = await mkdtemp(join(scratchFolder(), 'despatch-redis-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const server = spawn('redis-server', parameters, {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const started = await new Promise<boolean>((resolve) => {
    server.once('spawn', () => resolve(true))
    server.once('error', () => resolve(false))
  })
  if (!started) {
    await removeFolder()
    return undefined
  }

  server.unref()
  stopWhenWeDie(server)
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  server.stdin.end(settings.join('\n'))
  const ping = async () =>
    url.startsWith('rediss:')
      ? /^PONG|^NOAUTH/.test(await askRedisCli(url, 'PING'))
      : /^.PONG|^-NOAUTH/.test(await askRedis(url, 'PING'))
  const isReady = eventually(ping, { message: 'redis-server takes connections' })
  const hasEnded = ended.then(() => Promise.reject(new Error('redis-server ended')))
  await Promise.race([isReady, hasEnded])
  return {
    url,
    pid: server.pid!,
    async stop() {
      server.kill('SIGKILL')
      await ended
      await removeFolder()
    },
  }
}

function tlsSettings({ certificate, key, authority }: Certificate & { authority: string }) {
  return [
    `tls-cert-file ${certificate}`,
    `tls-key-file ${key}`,
    `tls-ca-cert-file ${authority}`,
    'tls-auth-clients no',
  ]
}

/**
 * Sends one command with this machine's redis-cli, with the password and TLS of the address, and returns the answer.
 */
export async function askRedisCli(url: string, ...command: string[]): Promise<string> {
  const { hostname, port, password, searchParams } = new URL(url)
  const authority = searchParams.get('cacert')
  const options = [
    '-h',
    hostname,
    '-p',
    port,
    ...(authority ? ['--tls', '--cacert', authority] : []),
  ]
  const env = { ...process.env, ...(password && { REDISCLI_AUTH: password }) }
  const { stdout } = await promisify(execFile)('redis-cli', [...options, ...command], { env })
  return stdout.trim()
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
