import { type Check, type Finding, probeDeadlineMs, reasonWithoutSecrets } from './finding.ts'

export type AddressFacts =
  | { kind: 'answers'; status: number; body: unknown; differenceMs: number | undefined }
  | { kind: 'silent'; reason: string }
  | { kind: 'unreadable' }

/** Checks the addresses that consumers and operators call: whether they answer and are ready, and their clocks. */
export const checkAddresses: Check = async ({ settings, now }) => {
  const addresses = [
    ['base address', settings.baseUrl, '--base-url'],
    ['operations address', settings.opsUrl, '--ops-url'],
  ] as const
  const findings = await Promise.all(
    addresses.map(async ([subject, address, option]) =>
      address === undefined
        ? [unknownAddress(subject, option)]
        : judgeAddress(subject, option, await probeAddress(address, now)),
    ),
  )
  return findings.flat()
}

async function probeAddress(address: string, now: () => Date): Promise<AddressFacts> {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) return { kind: 'unreadable' }
  const sentAt = now().getTime()
  try {
    const response = await fetch(`${url.href.replace(/\/+$/, '')}/health/ready`, {
      redirect: 'error',
      signal: AbortSignal.timeout(probeDeadlineMs),
    })
    const answeredAt = now().getTime()
    const date = Date.parse(response.headers.get('date') ?? '')
    const body = await response.json().catch(() => undefined)
    // The header has whole seconds, rounded down, so add half a second on average.
    const differenceMs = Number.isNaN(date)
      ? undefined
      : Math.round(date + 500 - (sentAt + answeredAt) / 2)
    return { kind: 'answers', status: response.status, body, differenceMs }
  } catch (error) {
    return { kind: 'silent', reason: reasonWithoutSecrets(error) }
  }
}

/** Judges whether an address answers and is ready, and its clock if the response has a date. */
export function judgeAddress(subject: string, option: string, facts: AddressFacts): Finding[] {
  if (facts.kind === 'unreadable') {
    const mend = `give an http or https address with ${option}`
    return [{ subject, state: 'bad', found: 'it is not an http or https address', mend }]
  }
  if (facts.kind === 'silent') {
    const mend = `start Despatch there (npm start), or give its address with ${option}`
    return [{ subject, state: 'bad', found: `it does not respond (${facts.reason})`, mend }]
  }
  const { status, body, differenceMs } = facts
  return [
    judgeReadiness(subject, status, body),
    ...(differenceMs === undefined ? [] : [judgeClock(`clock of the ${subject}`, differenceMs)]),
  ]
}

type HealthCheck = { name: string; ok: boolean; reason?: string }

function judgeReadiness(subject: string, status: number, body: unknown): Finding {
  const { status: word, checks } = (body ?? {}) as { status?: unknown; checks?: unknown }
  const known = (Array.isArray(checks) ? checks : []) as HealthCheck[]
  if (status === 200) return { subject, state: 'good', found: 'it responds and is ready' }
  const failing = known.filter(({ ok }) => !ok)
  if (word === 'not-ready' && failing.length === 0) {
    const mend = 'see which check fails: /health/ready of the operations address, or the log'
    return { subject, state: 'bad', found: 'it is not ready', mend }
  }
  if (failing.length === 0) {
    const mend = 'check that Despatch listens there, and not another service'
    return { subject, state: 'bad', found: `its /health/ready returns ${status}`, mend }
  }
  const found = failing.map(({ name, reason }) => `${name}: ${reason ?? 'not ok'}`).join('; ')
  const mends = [...new Set(failing.map(({ name }) => mendOf(name)))]
  return { subject, state: 'bad', found: `it is not ready: ${found}`, mend: mends.join('; ') }
}

const mends: Readonly<Record<string, string>> = {
  database: 'check that PostgreSQL is running and that DATABASE_URL of the service is correct',
  'object-store': 'check that the object store is running and that the S3_ settings are correct',
  clock: 'set the clocks of the machines by NTP',
}

/** A gateway puts the service before the name of a check: `pipeline: relay`. */
function mendOf(name: string): string {
  const check = name.split(': ').at(-1) ?? name
  return mends[check] ?? `check the log of ${name}, and restart it if it is stuck`
}

const warningMs = 5_000
const badMs = 30_000

/**
 * Judges the difference between another clock and this machine's. Presigned addresses and JWTs depend on the clocks of
 * both sides.
 */
export function judgeClock(subject: string, differenceMs: number): Finding {
  const seconds = Math.abs(differenceMs) / 1000
  const found =
    seconds < 1.5
      ? 'the same as here'
      : `${Math.round(seconds)} s ${differenceMs > 0 ? 'ahead' : 'behind'}`
  if (Math.abs(differenceMs) < warningMs) return { subject, state: 'good', found }
  const state = Math.abs(differenceMs) < badMs ? 'warning' : 'bad'
  return { subject, state, found, mend: 'set both clocks by NTP (chronyd, systemd-timesyncd)' }
}

function unknownAddress(subject: string, option: string): Finding {
  const mend = `give ${option}, or set DESPATCH_DATA_DIR to where credentials.json is`
  return { subject, state: 'bad', found: 'the address is not known', mend }
}
