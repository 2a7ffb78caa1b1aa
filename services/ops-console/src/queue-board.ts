import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { Api } from '@despatch/http/api'
import { openBoardQueues } from '@despatch/queue/board-queues'
import type { QueueCounts } from '@despatch/queue/queues'

export const boardPath = '/queues'

export type QueueBoard = {
  counts(): Promise<Omit<QueueCounts, 'delayed'>[]>
  close(): Promise<void>
}

// The board's page asks for a font from elsewhere; operations' pages load nothing from outside.
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "script-src 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves the queue board under /queues, for looking only. Tasks hold ids and nothing else. */
export async function registerQueueBoard(
  api: Api,
  { url, onError }: { url: string; onError: (error: Error) => void },
): Promise<QueueBoard> {
  const { queues, close } = openBoardQueues({ url, onError })
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
        if (request.method === 'GET' || request.method === 'HEAD') return
        return reply
          .code(405)
          .header('allow', 'GET, HEAD')
          .send({ error: 'The board is read-only' })
      })
      await board.register(serverAdapter.registerPlugin())
    },
    { prefix: boardPath },
  )
  return {
    counts: () =>
      Promise.all(
        queues.map(async (queue) => {
          const {
            waiting = 0,
            active = 0,
            failed = 0,
          } = await queue.getJobCounts('waiting', 'active', 'failed')
          return { name: queue.name as QueueCounts['name'], waiting, active, failed }
        }),
      ),
    close,
  }
}
