import { Agent } from 'undici'
import { answerParent } from '../child.ts'
import { monotonicMs } from '../statistics.ts'
import type { BareCall, BareRequest, BareResult } from './measure-backlog.ts'

/** The rival: a loop that posts messages from memory, stores nothing and retries nothing. */
type Call = Omit<BareCall, 'body'> & { body: Buffer }

const calls: Call[] = []

answerParent(answer)

async function answer(request: BareRequest): Promise<unknown> {
  if (request.kind === 'run') return run(request)
  for (const call of request.calls) calls.push({ ...call, body: Buffer.from(call.body) })
  return calls.length
}

async function run(given: BareRequest & { kind: 'run' }): Promise<BareResult> {
  const agent = new Agent({ connections: given.connectionsPerOrigin })
  let next = 0
  let refusals = 0
  async function keepPosting(): Promise<void> {
    for (let call = calls[next++]; call; call = calls[next++]) {
      const { statusCode, body } = await agent.request({ ...call, method: 'POST' })
      await body.dump()
      if (statusCode !== 204) refusals += 1
    }
  }
  await Promise.all(Array.from({ length: given.underWayMax }, keepPosting))
  const endedAtMs = monotonicMs()
  await agent.close()
  return { endedAtMs, refusals }
}
