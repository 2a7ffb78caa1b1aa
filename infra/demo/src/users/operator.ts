import type { Credential } from '@despatch/standalone/credentials'
import { fetchOrExplain } from '../fetch-or-explain.ts'

export type Findings = { checkCount: number; faults: string[] }

type Look = { opsUrl: string; operator: Credential; signal: AbortSignal }
/** An inspection with the cookie of a console session. */
type SignedIn = Omit<Look, 'operator'> & { cookie: string }

const answerDeadlineMs = 10_000
/** Gauges that are above 0 if somebody should investigate. */
const troubles = {
  print_jobs_parked: 'print jobs are parked',
  callbacks_dead_last_day: 'callbacks were given up',
}

/** The path of the console's page about queues. */
export const queuesPath = '/queue-control'

/**
 * Acts as the operator: signs in to the console, opens its first page and the one about queues, and reads the health checks
 * and metrics.
 */
export async function inspectOperations({ operator, ...at }: Look): Promise<Findings> {
  const look = { ...at, cookie: await signInToConsole(operator, at) }
  const faults: string[] = []
  for (const path of ['/', queuesPath]) {
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

async function signInToConsole(
  { userName, password }: Credential,
  { opsUrl, signal }: Omit<SignedIn, 'cookie'>,
): Promise<string> {
  const path = '/administration/v1/sessions'
  const answer = await fetchOrExplain(`POST ${path}`, new URL(path, opsUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName, password }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerDeadlineMs)]),
  })
  const [cookie] = answer.headers.getSetCookie()
  if (cookie === undefined) throw new Error(`signing in to the console answered ${answer.status}`)
  return cookie.split(';', 1)[0]!
}

function open(path: string, { opsUrl, cookie, signal }: SignedIn): Promise<Response> {
  return fetchOrExplain(`GET ${path}`, new URL(path, opsUrl), {
    headers: { cookie },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerDeadlineMs)]),
  })
}

function readGauge(metrics: string, name: string): number | undefined {
  const line = metrics.split('\n').find((text) => text.startsWith(`${name}{`))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}
