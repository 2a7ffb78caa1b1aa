import { readFileSync } from 'node:fs'

type Advisory = { name: string; severity: string; range: string }

type LockedPackage = { version?: string; name?: string; dev?: boolean; link?: boolean }
type BatchAnswer = { results?: { vulns?: { id: string }[]; next_page_token?: string }[] }
type Vulnerability = { withdrawn?: string; database_specific?: { severity?: string } }

/** OSV accepts this many packages in a request. */
const batchMax = 1000
const deadlineMs = 60_000

/**
 * Asks OSV (https://google.github.io/osv.dev/api/), the open database of advisories, about each package that a
 * deployment installs. Returns the advisories that apply, with the severities of npm. Throws if OSV does not answer
 * within a minute, or not in full. `address` is for a mirror.
 */
export async function auditByOsv(lockfile: URL, address: string): Promise<Advisory[]> {
  const signal = AbortSignal.timeout(deadlineMs)
  const packages = installedPackages(readFileSync(lockfile, 'utf8'))
  const severities = new Map<string, Promise<string | undefined>>()
  const advisories: Advisory[] = []
  for (let start = 0; start < packages.length; start += batchMax) {
    const batch = packages.slice(start, start + batchMax)
    const queries = batch.map(({ name, version }) => ({
      package: { name, ecosystem: 'npm' },
      version,
    }))
    const { results = [] } = await ask<BatchAnswer>(`${address}/v1/querybatch`, signal, { queries })
    if (results.length !== batch.length) throw new Error('OSV has not answered for each package')
    for (const [index, { vulns = [], next_page_token }] of results.entries()) {
      const { name, version } = batch[index]!
      if (next_page_token) throw new Error(`OSV has more advisories of ${name} than one answer`)
      for (const { id } of vulns) {
        if (!severities.has(id)) severities.set(id, severityOf(address, id, signal))
        const severity = await severities.get(id)
        if (severity) advisories.push({ name, severity, range: `${version} (${id})` })
      }
    }
  }
  return advisories
}

/** Returns each package and version of a lockfile that a deployment installs, once. */
function installedPackages(lockfile: string): { name: string; version: string }[] {
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, LockedPackage> }
  const found = new Map<string, { name: string; version: string }>()
  for (const [path, { name, version, dev, link }] of Object.entries(packages)) {
    const place = path.lastIndexOf('node_modules/')
    if (place < 0 || dev || link || !version) continue
    // an alias has the name of the package beside its path
    const real = name ?? path.slice(place + 'node_modules/'.length)
    found.set(`${real}@${version}`, { name: real, version })
  }
  return [...found.values()]
}

/** Returns the severity as npm calls it, or undefined if the advisory is withdrawn. One without a severity is high. */
async function severityOf(
  address: string,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = `${address}/v1/vulns/${encodeURIComponent(id)}`
  const { withdrawn, database_specific } = await ask<Vulnerability>(url, signal)
  return withdrawn ? undefined : (database_specific?.severity?.toLowerCase() ?? 'high')
}

async function ask<Answer>(url: string, signal: AbortSignal, body?: object): Promise<Answer> {
  const answer = await fetch(url, {
    signal,
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  if (!answer.ok) throw new Error(`${answer.status} of ${new URL(url).host}`)
  return (await answer.json()) as Answer
}
