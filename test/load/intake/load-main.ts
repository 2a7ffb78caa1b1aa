import { Client } from 'undici'
import { percentile } from '../statistics.ts'
import { type LoadPlan, type LoadResult, mark } from './load.ts'

/** Makes load in a process of its own: a plan comes in as a message, the result goes out as one. */
const drainMs = 30_000

process.on('message', (plan: LoadPlan) => {
  runLoad(plan).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      process.exit(1)
    },
  )
})
process.once('disconnect', () => process.exit(0))
process.send?.('ready')

async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const latenciesMs: number[] = []
  const refusals: Record<string, number> = {}
  let sent = 0
  const startedAt = performance.now()
  const endsAt = startedAt + plan.seconds * 1000

  async function keepSending(): Promise<void> {
    const client = new Client(plan.origin, { headersTimeout: drainMs, bodyTimeout: drainMs })
    const body = Buffer.from(plan.body)
    const markAt = body.indexOf(mark)
    try {
      while (performance.now() < endsAt && sent < plan.requestsMax) {
        const number = plan.firstNumber + sent
        sent += 1
        body.write(String(number).padStart(mark.length, '0'), markAt)
        const sentAt = performance.now()
        const status = await send(client, plan, body)
        latenciesMs.push(performance.now() - sentAt)
        if (status < 200 || status > 299) refusals[status] = (refusals[status] ?? 0) + 1
      }
    } finally {
      await client.close()
    }
  }

  await Promise.all(Array.from({ length: plan.connections }, keepSending))
  const seconds = (performance.now() - startedAt) / 1000
  latenciesMs.sort((a, b) => a - b)
  return {
    requests: latenciesMs.length,
    seconds,
    p50Ms: percentile(latenciesMs, 50),
    p99Ms: percentile(latenciesMs, 99),
    maxMs: latenciesMs.at(-1) ?? Number.NaN,
    refusals,
  }
}

/** Gives the status once the whole answer is there. */
function send(client: Client, { path, headers }: LoadPlan, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0
    client.dispatch(
      { path, method: 'POST', headers, body },
      {
        onRequestStart: () => {},
        onResponseStart: (_controller, statusCode) => {
          status = statusCode
        },
        onResponseData: () => {},
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}
