import { answerParent } from './child.ts'
import type { LoadPlan, LoadResult } from './intake/load.ts'
import { percentile } from './statistics.ts'

/** One connection of a load. `send` sends one request by its number and returns its status. */
export type Sender = { send(number: number): Promise<number>; close(): Promise<void> }

/** Generates load in a separate process: a plan arrives as a message, and the result is sent as a message. */
export function serveLoads<Plan extends Extent>(openSender: (plan: Plan) => Promise<Sender>): void {
  answerParent((plan: Plan) => runLoad(plan, () => openSender(plan)))
}

export type Extent = Pick<LoadPlan, 'connections' | 'seconds' | 'requestsMax' | 'firstNumber'>

async function runLoad(
  { connections, seconds, requestsMax, firstNumber }: Extent,
  openSender: () => Promise<Sender>,
): Promise<LoadResult> {
  const senders = await Promise.all(Array.from({ length: connections }, openSender))
  const latenciesMs: number[] = []
  const refusals: Record<string, number> = {}
  let sent = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000

  async function keepSending(sender: Sender): Promise<void> {
    while (performance.now() < endsAt && sent < requestsMax) {
      const number = firstNumber + sent
      sent += 1
      const sentAt = performance.now()
      const status = await sender.send(number)
      latenciesMs.push(performance.now() - sentAt)
      if (status < 200 || status > 299) refusals[status] = (refusals[status] ?? 0) + 1
    }
  }

  await Promise.all(senders.map(keepSending))
  const loadedSeconds = (performance.now() - startedAt) / 1000
  await Promise.all(senders.map((sender) => sender.close()))
  latenciesMs.sort((a, b) => a - b)
  return {
    requests: latenciesMs.length,
    seconds: loadedSeconds,
    p50Ms: percentile(latenciesMs, 50),
    p99Ms: percentile(latenciesMs, 99),
    refusals,
  }
}
