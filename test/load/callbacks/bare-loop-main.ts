import { randomBytes } from 'node:crypto'
import { Agent } from 'undici'
import { answerParent } from '../child.ts'
import { monotonicMs } from '../statistics.ts'
import { callsPerOriginMax, callsUnderWayMax } from './callbacks-side.ts'
import { renderHeaders } from './headers.ts'
import type { RivalRequest } from './rivals.ts'

/** The floor: a loop that posts messages from memory. It signs nothing, stores nothing and retries nothing. */
const calls: { origin: string; path: string; headers: string[]; body: Buffer }[] = []

answerParent(answer)

async function answer(request: RivalRequest): Promise<number> {
  if (request.kind === 'run') return run()
  for (const task of request.tasks) {
    const signature = randomBytes(32).toString('base64')
    const headers = renderHeaders(task, { at: new Date(), sign: () => signature })
    calls.push({ origin: task.origin, path: task.path, headers, body: Buffer.from(task.body) })
  }
  return calls.length
}

async function run(): Promise<number> {
  const agent = new Agent({ connections: callsPerOriginMax })
  let next = 0
  async function keepPosting(): Promise<void> {
    for (let call = calls[next++]; call; call = calls[next++]) {
      const { statusCode, body } = await agent.request({ ...call, method: 'POST' })
      await body.dump()
      if (statusCode !== 204) throw new Error(`A call was answered with ${statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: callsUnderWayMax }, keepPosting))
  const endedAtMs = monotonicMs()
  await agent.close()
  return endedAtMs
}
