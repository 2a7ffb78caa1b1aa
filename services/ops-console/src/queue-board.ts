import type { IncomingHttpHeaders } from 'node:http'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import { retryAfterSeconds } from '@despatch/http/unavailable-answer'
import type { BoardQueues } from '@despatch/queue/board-queues'
import { signInPath, type Visitor } from './visitors.ts'

export const boardPath = '/queues'

const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "script-src 'self'",
  "frame-ancestors 'none'",
].join('; ')

export type BoardOptions = Pick<BoardQueues, 'queues'> & {
  visitorOf: (headers: IncomingHttpHeaders) => Promise<Visitor>
}

/** Serves the queue board under /queues, to operators and read-only. Tasks contain only ids. */
export async function registerQueueBoard(
  api: Api,
  { queues, visitorOf }: BoardOptions,
): Promise<void> {
  const serverAdapter = new FastifyAdapter()
  serverAdapter.setBasePath(boardPath)
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Despatch queues', hideRedisDetails: true } },
  })
  await api.register(
    async (board) => {
      board.addHook('onRequest', async (request, reply) => {
        reply.header('content-security-policy', contentSecurityPolicy)
        const { method, headers } = request
        const visitor = await visitorOf(headers)
        if (visitor === 'unknown') {
          addToLogLine(request, databaseAway)
          return reply.code(503).header('retry-after', retryAfterSeconds()).send(notNow)
        }
        if (visitor !== 'operator') {
          const isPage = headers.accept?.includes('text/html')
          return isPage
            ? reply.redirect(signInPath(boardPath), 303)
            : reply.code(401).send(notSignedIn)
        }
        if (method === 'GET' || method === 'HEAD') return
        return reply
          .code(405)
          .header('allow', 'GET, HEAD')
          .send({ error: 'The board is read-only' })
      })
      board.addHook('onSend', async (_request, reply, payload) =>
        String(reply.getHeader('content-type')).startsWith('text/html')
          ? withoutForeignLinks(String(payload))
          : payload,
      )
      await board.register(serverAdapter.registerPlugin())
    },
    { prefix: boardPath },
  )
}

/** The board's page requests a font from another host. The console loads nothing from outside. */
function withoutForeignLinks(page: string): string {
  return page.replace(/<link\b[^>]*\bhref="(?:https?:)?\/\/[^>]*>/gi, '')
}

/** Added to the log line of a request whose session could not be read. */
export const databaseAway = { dependency: 'database' }

/** The response while the database cannot tell who the caller is. */
export const notNow = {
  errors: [
    {
      status: '503 SERVICE_UNAVAILABLE',
      code: 'ServiceUnavailable',
      detail: 'The database does not respond, or too many requests arrive at once',
    },
  ],
}

/** The response to a script without a session. */
export const notSignedIn = {
  errors: [{ status: '401 UNAUTHORIZED', code: 'Unauthorized', detail: 'Sign in to the console' }],
}
