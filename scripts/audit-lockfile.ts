import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { auditByOsv } from './audit-by-osv.ts'

type AuditVerdict = { verdict: 'passed' | 'failed' | 'not audited'; text: string }

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

/** Where advisories are if the registry has none. */
const osvAddress = process.env.OSV_ADDRESS ?? 'https://api.osv.dev'

/**
 * Compares what a deployment installs with the advisories of the npm registry, or, where the registry gives none, with
 * those of OSV, and says which. Takes three minutes at most.
 */
export async function auditLockfile(): Promise<AuditVerdict> {
  const options = ['audit', '--json', '--omit=dev', '--package-lock-only', '--fetch-retries=1']
  const { promise, resolve } = Promise.withResolvers<string>()
  const limits = { timeout: deadlineMs, maxBuffer: answerBytesMax }
  // npm exits with 1 both if it finds something and if it reads nothing: its answer distinguishes the two
  execFile('npm', options, { cwd: root, ...limits }, (_error, stdout) => resolve(stdout))
  const judged = judgeAudit(await promise)
  return judged.verdict === 'not audited' ? auditElsewhere(judged.text) : judged
}

async function auditElsewhere(why: string): Promise<AuditVerdict> {
  try {
    const advisories = await auditByOsv(
      new URL('../package-lock.json', import.meta.url),
      osvAddress,
    )
    const { verdict, text } = judge(advisories)
    return { verdict, text: `${text}\n  by OSV, since the registry gives no advisories` }
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    return { verdict: 'not audited', text: `${why}\n  nor by OSV: ${reason}` }
  }
}

/** Judges what `npm audit --json` printed. Without counts it has read no advisories: that is no failure. */
export function judgeAudit(printed: string): AuditVerdict {
  const { message, vulnerabilities = {}, metadata } = parse(printed)
  if (metadata?.vulnerabilities === undefined) {
    const why = message ?? 'npm audit printed no result'
    return { verdict: 'not audited', text: `not audited: the lockfile. No advisories: ${why}` }
  }
  return judge(Object.values(vulnerabilities))
}

function judge(findings: readonly Finding[]): AuditVerdict {
  const isFailed = findings.some(({ severity }) => failing.includes(severity))
  const lines = findings.map(({ name, severity, range = '' }) => `  ${severity}: ${name} ${range}`)
  const packages = new Set(findings.map(({ name }) => name)).size
  const first = `${isFailed ? 'FAILED' : 'ok    '} audit of the lockfile: ${packages} packages with advisories`
  return { verdict: isFailed ? 'failed' : 'passed', text: [first, ...lines].join('\n') }
}

function parse(printed: string): Answer {
  try {
    return JSON.parse(printed)
  } catch {
    return {}
  }
}
