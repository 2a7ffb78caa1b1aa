// One address for the services: each request goes to the one whose prefix its path has, headers and body as they came.
import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http'
import { pipeline } from 'node:stream/promises'

const { HOST = '127.0.0.1', PORT = '8080', ROUTES = '' } = process.env
const serviceTimeoutMs = 60_000

/** ROUTES: `/prefix=http://host:port`, with blanks between them. */
const routes = ROUTES.split(' ')
  .filter(Boolean)
  .map((route) => {
    const [prefix = '', target = ''] = route.split('=')
    return { prefix, target: new URL(target) }
  })
const agent = new Agent({ keepAlive: true })

const server = createServer((request, response) => {
  const path = request.url?.split('?', 1)[0] ?? '/'
  if (path === '/health/live') return refuse(response, 200, { status: 'live' })
  const route = routes.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
  if (!route)
    return refuse(response, 404, {
      errors: [
        { status: '404 NOT_FOUND', code: 'NotFound', detail: 'There is nothing at this address' },
      ],
    })
  void forward(request, response, route.target)
})
server.listen(Number(PORT), HOST)
await once(server, 'listening')
process.stdout.write(`The gateway listens on ${HOST}:${PORT}\n`)

await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
server.close()
server.closeIdleConnections()
await once(server, 'close')
agent.destroy()

async function forward(request: IncomingMessage, response: ServerResponse, target: URL) {
  const upstream = send({
    agent,
    hostname: target.hostname,
    port: target.port,
    method: request.method,
    path: request.url,
    headers: request.headers,
    timeout: serviceTimeoutMs,
  })
  upstream.once('timeout', () => upstream.destroy(new Error('timed out')))
  // A service may answer before it has read the whole body: a refusal is passed on then, too.
  request.pipe(upstream)
  request.once('aborted', () => upstream.destroy())
  try {
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage]
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    await pipeline(answer, response)
  } catch {
    if (response.headersSent) response.destroy()
    else
      refuse(response, 503, {
        errors: [
          {
            status: '503 SERVICE_UNAVAILABLE',
            code: 'Unavailable',
            detail: 'The service does not answer',
          },
        ],
      })
  }
}

function refuse(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}
