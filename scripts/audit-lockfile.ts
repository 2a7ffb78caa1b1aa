import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type AuditVerdict = { verdict: 'passed' | 'failed' | 'not audited'; text: string }

type Finding = { name: string; severity: string; range?: string }
type Answer = {
  message?: string
  vulnerabilities?: Record<string, Finding>
  metadata?: { vulnerabilities?: Record<string, number> }
}

/** Severities that fail the audit. Others are only listed. */
const failing = ['high', 'critical']
const deadlineMs = 120_000
const answerBytesMax = 64 * 1024 * 1024
const root = fileURLToPath(new URL('..', import.meta.url))

/** Compares what a deployment installs with the advisories of the npm registry. Takes two minutes at most. */
export async function auditLockfile(): Promise<AuditVerdict> {
  const options = ['audit', '--json', '--omit=dev', '--package-lock-only', '--fetch-retries=1']
  const { promise, resolve } = Promise.withResolvers<string>()
  const limits = { timeout: deadlineMs, maxBuffer: answerBytesMax }
  // npm exits with 1 both if it finds something and if it reads nothing: its answer distinguishes the two
  execFile('npm', options, { cwd: root, ...limits }, (_error, stdout) => resolve(stdout))
  return judgeAudit(await promise)
}

/** Judges what `npm audit --json` printed. Without counts it has read no advisories: that is no failure. */
export function judgeAudit(printed: string): AuditVerdict {
  const { message, vulnerabilities = {}, metadata } = parse(printed)
  if (metadata?.vulnerabilities === undefined) {
    const why = message ?? 'npm audit printed no result'
    return { verdict: 'not audited', text: `not audited: the lockfile. No advisories: ${why}` }
  }
  const findings = Object.values(vulnerabilities)
  const isFailed = findings.some(({ severity }) => failing.includes(severity))
  const lines = findings.map(({ name, severity, range = '' }) => `  ${severity}: ${name} ${range}`)
  const first = `${isFailed ? 'FAILED' : 'ok    '} audit of the lockfile: ${findings.length} packages with advisories`
  return { verdict: isFailed ? 'failed' : 'passed', text: [first, ...lines].join('\n') }
}

function parse(printed: string): Answer {
  try {
    return JSON.parse(printed)
  } catch {
    return {}
  }
}
