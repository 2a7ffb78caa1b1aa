import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { answerParent } from '../child.ts'
import { type LoadPlan, mark } from '../intake/load.ts'
import { percentile } from '../statistics.ts'

/** Load at a fixed rate, whether or not earlier requests are answered. */
export type OpenLoadPlan = Pick<LoadPlan, 'origin' | 'path' | 'headers' | 'firstNumber'> & {
  /** A text that contains the mark once. */
  body: string
  requestsPerSecond: number
  seconds: number
}

export type OpenLoadResult = {
  sent: number
  accepted: number
  /** Answered 503 with Retry-After. */
  shed: number
  /** All other answers, by status or by the reason why there was none. */
  others: Record<string, number>
  /** Latencies of accepted requests, from when each was due to be sent. */
  p50Ms: number
  p99Ms: number
  seconds: number
}

const connectionsMax = 2_000
const answerDeadlineMs = 60_000
const tickMs = 5

answerParent(runLoad)

async function runLoad(plan: OpenLoadPlan): Promise<OpenLoadResult> {
  const { origin, path, headers, body, requestsPerSecond, seconds, firstNumber } = plan
  const pool = new Pool(origin, {
    connections: connectionsMax,
    headersTimeout: answerDeadlineMs,
    bodyTimeout: answerDeadlineMs,
  })
  await openConnections(pool)
  const latenciesMs: number[] = []
  const others: Record<string, number> = {}
  const underWay: Promise<void>[] = []
  let shed = 0

  async function send(number: number, dueAt: number): Promise<void> {
    let outcome: string
    try {
      const answer = await pool.request({
        method: 'POST',
        path,
        headers,
        body: body.replace(mark, String(number).padStart(mark.length, '0')),
      })
      await answer.body.dump()
      const isShed = answer.statusCode === 503 && answer.headers['retry-after'] !== undefined
      outcome = isShed ? 'shed' : String(answer.statusCode)
    } catch (error) {
      outcome = (error as NodeJS.ErrnoException).code ?? 'no answer'
    }
    if (outcome === '202') latenciesMs.push(performance.now() - dueAt)
    else if (outcome === 'shed') shed += 1
    else others[outcome] = (others[outcome] ?? 0) + 1
  }

  const startedAt = performance.now()
  const requests = Math.round(requestsPerSecond * seconds)
  while (underWay.length < requests) {
    const due = ((performance.now() - startedAt) / 1000) * requestsPerSecond
    while (underWay.length < Math.min(due, requests)) {
      const dueAt = startedAt + (underWay.length / requestsPerSecond) * 1000
      underWay.push(send(firstNumber + underWay.length, dueAt))
    }
    await pause(tickMs)
  }
  const sentSeconds = (performance.now() - startedAt) / 1000
  await Promise.all(underWay)
  await pool.close()
  latenciesMs.sort((a, b) => a - b)
  return {
    sent: requests,
    accepted: latenciesMs.length,
    shed,
    others,
    p50Ms: percentile(latenciesMs, 50),
    p99Ms: percentile(latenciesMs, 99),
    seconds: sentSeconds,
  }
}

/**
 * Opens every connection before the load begins, as a load balancer keeps them open. Node accepts one new connection in each
 * turn of its event loop, so a burst of new ones would wait for seconds.
 */
async function openConnections(pool: Pool): Promise<void> {
  const ask = async () => {
    const { body } = await pool.request({ method: 'GET', path: '/health/live' })
    await body.dump()
  }
  await Promise.all(Array.from({ length: connectionsMax }, ask))
}
