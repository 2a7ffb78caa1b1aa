import { createHmac, createSecretKey } from 'node:crypto'
import pg from 'pg'
import { Agent } from 'undici'
import { answerParent, endWithParent } from '../child.ts'
import { monotonicMs } from '../statistics.ts'
import { type Carrier, openTaskQueues } from '../task-queues.ts'
import { callsPerOriginMax, callsUnderWayMax } from './callbacks-side.ts'
import { renderHeaders } from './headers.ts'
import type { RivalRequest, RivalTask } from './rivals.ts'

/**
 * A rival: a task for each callback, on a queue of BullMQ or pg-boss. The task holds everything that is sent, so nothing
 * is read from the database. It signs the message, posts it and records the delivery in a row.
 */
const { DATABASE_URL, QUEUE_URL, CARRIER, SECRET } = process.env
const connectionsMax = 8
const callMsMax = 15_000

const secret = createSecretKey(SECRET!.replace(/^whsec_/, ''), 'base64')
const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64')
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: connectionsMax })
const agent = new Agent({
  connections: callsPerOriginMax,
  headersTimeout: callMsMax,
  bodyTimeout: callMsMax,
})
const queues = await openTaskQueues({
  carrier: CARRIER as Carrier,
  queueUrl: QUEUE_URL!,
  concurrency: callsUnderWayMax,
})
const queue = await queues.open<RivalTask>('bench-callback')
const lastRecordedAtMs = Promise.withResolvers<number>()
let added = 0
let recorded = 0

answerParent(answer)
await endWithParent(async () => {
  await queues.close()
  await pool.end()
})

async function answer(request: RivalRequest): Promise<number> {
  if (request.kind === 'add') {
    await queue.addAll(request.tasks)
    added += request.tasks.length
    return added
  }
  await queue.work((task) => deliver(task).catch(lastRecordedAtMs.reject))
  return lastRecordedAtMs.promise
}

async function deliver(task: RivalTask): Promise<void> {
  const { id, origin, path, body } = task
  const at = new Date()
  const headers = renderHeaders(task, { at, sign })
  const response = await agent.request({ origin, path, method: 'POST', headers, body })
  await response.body.dump()
  if (response.statusCode !== 204) throw new Error(`A call was answered ${response.statusCode}`)
  await pool.query({
    name: 'record',
    text: 'insert into bench.delivery (id, started_at, duration_ms, http_status) values ($1, $2, $3, $4)',
    values: [id, at, Date.now() - at.getTime(), response.statusCode],
  })
  recorded += 1
  if (recorded === added) lastRecordedAtMs.resolve(monotonicMs())
}
