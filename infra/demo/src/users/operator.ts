import { fetchOrExplain } from '../fetch-or-explain.ts'

export type Findings = { checkCount: number; faults: string[] }

type Look = { opsUrl: string; signal: AbortSignal }

const answerDeadlineMs = 10_000
/** Gauges that are above 0 when somebody should look into something. */
const troubles = {
  print_jobs_parked: 'print jobs are parked',
  callbacks_dead_last_day: 'callbacks were given up',
}

/** Where operations looks, below the operations address. */
export const queueBoardPath = '/queues'

/** Acts as the operator: opens the operations page and the queue board, and reads the health checks and metrics. */
export async function inspectOperations(look: Look): Promise<Findings> {
  const faults: string[] = []
  for (const path of ['/', queueBoardPath]) {
    const { status } = await open(path, look)
    if (status !== 200) faults.push(`${path} of the operations address answered ${status}`)
  }
  const { checks } = (await (await open('/health/ready', look)).json()) as {
    checks: { name: string; ok: boolean; reason?: string }[]
  }
  for (const { name, ok, reason } of checks) {
    if (!ok) faults.push(`the health check ${name} fails: ${reason ?? 'no reason given'}`)
  }
  const metrics = await (await open('/metrics', look)).text()
  for (const [gauge, trouble] of Object.entries(troubles)) {
    const value = readGauge(metrics, gauge)
    if (value === undefined) faults.push(`the metrics lack ${gauge}`)
    else if (value > 0) faults.push(`${value} ${trouble}`)
  }
  return { checkCount: checks.length, faults }
}

function open(path: string, { opsUrl, signal }: Look): Promise<Response> {
  return fetchOrExplain(`GET ${path}`, new URL(path, opsUrl), {
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerDeadlineMs)]),
  })
}

function readGauge(metrics: string, name: string): number | undefined {
  const line = metrics.split('\n').find((text) => text.startsWith(`${name}{`))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}
