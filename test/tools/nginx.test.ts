import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { request } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { findFreePort } from '@despatch/embedded/free-port'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { readText } from '../guards/tree.ts'
import { fencesOf } from '../stack/runnable-guide.ts'

const nginx = ['/usr/sbin/nginx', 'nginx'].find((path) => spawnSync(path, ['-v']).status === 0)
const shown = fencesOf('docs/deployment.md', readText('docs/deployment.md')).find(
  ({ language }) => language === 'nginx',
)!.text

describe.skipIf(!nginx)('the example of docs/deployment.md (if nginx is installed)', async () => {
  const running = nginx === undefined ? undefined : await shared(startNginx(nginx))

  test('is valid, and forwards host, caller and protocol', async () => {
    const response = await call({ path: '/print-request/v1?a=b' })

    expect(JSON.parse(await readAll(response))).toMatchObject({
      url: '/print-request/v1?a=b',
      headers: {
        host: `print.example.com:${running!.port}`,
        'x-forwarded-for': '192.0.2.1, 127.0.0.1',
        'x-forwarded-proto': 'https',
      },
    })
  })

  test('forwards a body of 16 MiB before it is complete, and does not log the query', async () => {
    const { sent, answered } = open({ path: '/large?name=Example' })
    const half = Buffer.alloc(8 * 1024 ** 2)
    sent.write(half)
    await eventually(() => running!.seen.includes('/large?name=Example'), {
      message: 'the first half of the body is passed on',
    })
    sent.end(half)
    const [response] = await answered

    expect(JSON.parse(await readAll(response))).toMatchObject({ bytes: 16 * 1024 ** 2 })
    const log = await eventually(
      async () => {
        const text = await readFile(running!.log, 'utf8')
        return text.includes('/large') && text
      },
      { message: 'the request is logged' },
    )
    expect(log).not.toContain('Example')
  })

  test('forwards an event before the next one is sent', async () => {
    const response = await call({ host: 'console.example.com', path: '/events' })
    const [first] = (await once(response, 'data')) as [Buffer]
    running!.sendSecond()

    expect(String(first)).toBe('data: 1\n\n')
    expect(await readAll(response)).toBe('data: 2\n\n')
  })

  test('does not show the metrics of the console', async () => {
    const response = await call({ host: 'console.example.com', path: '/metrics' })

    expect(response.statusCode).toBe(404)
    expect(await readAll(response)).not.toContain('headers')
  })

  type Call = { host?: string; path: string }

  async function call(to: Call): Promise<IncomingMessage> {
    const { sent, answered } = open(to)
    sent.end()
    return (await answered)[0]
  }

  function open({ host = 'print.example.com', path }: Call) {
    const { port } = running!
    const sent = request({
      host: '127.0.0.1',
      servername: host,
      port,
      path,
      rejectUnauthorized: false,
      method: 'POST',
      headers: { host: `${host}:${port}`, 'x-forwarded-for': '192.0.2.1' },
    })
    return { sent, answered: once(sent, 'response') as Promise<[IncomingMessage]> }
  }
})

/** Starts nginx with the example, in front of a service that says what it was sent. */
async function startNginx(program: string) {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-nginx-'))
  await using parts = new AsyncDisposableStack()
  parts.defer(() => rm(directory, { recursive: true, force: true }))
  let sendSecond = () => {}
  const seen: string[] = []
  const service = createServer(
    echo(seen, (send) => {
      sendSecond = send
    }),
  ).listen(0, '127.0.0.1')
  await once(service, 'listening')
  parts.defer(() => {
    service.closeAllConnections()
    service.close()
  })
  const port = await findFreePort()
  const upstream = (service.address() as AddressInfo).port
  const log = join(directory, 'despatch.log')
  await writeFile(join(directory, 'nginx.conf'), configuration(directory, { port, upstream, log }))
  await mkdir(join(directory, 'temp'))
  makeCertificates(directory)
  const options = ['-p', directory, '-e', join(directory, 'error.log'), '-c', 'nginx.conf']
  execFileSync(program, [...options, '-t'], { stdio: 'pipe' })
  const child = spawn(program, [...options, '-g', 'daemon off;'], { stdio: 'ignore' })
  parts.defer(async () => {
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    await ended
  })
  await eventually(() => connects(port), { message: 'nginx listens' })
  const started = parts.move()
  return {
    port,
    log,
    seen,
    sendSecond: () => sendSecond(),
    close: () => started.disposeAsync(),
  }
}

/** The example with places of its own, in the frame of a configuration that needs no rights. */
function configuration(
  directory: string,
  { port, upstream, log }: { port: number; upstream: number; log: string },
): string {
  const example = shown
    .replaceAll(/127\.0\.0\.1:808[01]/g, `127.0.0.1:${upstream}`)
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('/etc/ssl/despatch/', `${directory}/`)
    .replaceAll('/var/log/nginx/despatch.log', log)
    .replaceAll('10.0.0.0/8', '127.0.0.0/8')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/temp/${name};`,
  )
  return `pid ${directory}/nginx.pid;
worker_processes 1;
events {}
http {
${temporary.join('\n')}
${example}
}
`
}

function makeCertificates(directory: string): void {
  for (const name of ['print.example.com', 'console.example.com']) {
    const files = [
      '-keyout',
      join(directory, `${name}.key`),
      '-out',
      join(directory, `${name}.pem`),
    ]
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    execFileSync('openssl', ['req', '-x509', ...key, ...files, '-subj', `/CN=${name}`], {
      stdio: 'pipe',
    })
  }
}

function echo(seen: string[], onStream: (send: () => void) => void): RequestListener {
  return async (incoming, response) => {
    seen.push(incoming.url ?? '')
    if (incoming.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
      return onStream(() => response.end('data: 2\n\n'))
    }
    let bytes = 0
    for await (const chunk of incoming) bytes += (chunk as Buffer).length
    const { url, headers } = incoming
    response.end(JSON.stringify({ url, headers, bytes }))
  }
}

async function connects(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
