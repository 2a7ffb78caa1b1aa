import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './tree.ts'

// By its path: it belongs to no workspace.
const { judgeAudit } = await import(join(root, 'scripts/audit-lockfile.ts'))
const { auditByOsv } = await import(join(root, 'scripts/audit-by-osv.ts'))
const lockfile = pathToFileURL(join(root, 'package-lock.json'))
const refused = '{"message":"405 Method Not Allowed"}'

const answer = (...severities: string[]) =>
  JSON.stringify({
    vulnerabilities: Object.fromEntries(
      severities.map((severity) => [severity, { name: `a-${severity}`, severity, range: '<2' }]),
    ),
    metadata: { vulnerabilities: { total: severities.length } },
  })
const found = (mark: string, count: number) =>
  `${mark} audit of the lockfile: ${count} packages with advisories`

test.for<[what: string, printed: string, verdict: string, text: string]>([
  ['nothing is found', answer(), 'passed', found('ok    ', 0)],
  ['little is found', answer('low', 'moderate'), 'passed', found('ok    ', 2)],
  [
    'much is found',
    answer('low', 'high'),
    'failed',
    `${found('FAILED', 2)}\n  low: a-low <2\n  high: a-high <2`,
  ],
  ['the worst is found', answer('critical'), 'failed', '  critical: a-critical <2'],
  [
    'the source refuses',
    '{"message":"405 Method"}',
    'not audited',
    'not audited: the lockfile. No advisories: 405 Method',
  ],
  ['the source is away', '', 'not audited', 'not audited: the lockfile.'],
  ['the answer is cut off', '{"vulnerabilities":', 'not audited', 'not audited: the lockfile.'],
])('the verdict when %s is: %2$s', ([, printed, verdict, text]) => {
  expect(judgeAudit(printed)).toEqual({ verdict, text: expect.stringContaining(text) })
})

test('npm run audit fails if a severe advisory is found', async () => {
  const audit = await runAudit(answer('high'), 'http://127.0.0.1:1')

  expect(audit.stdout).toContain(found('FAILED', 1))
  expect(audit.code).toBe(1)
})

test('npm run audit uses OSV if the registry gives no advisories, and says so', async () => {
  const { address } = await anOsv({ severity: 'HIGH' })

  const audit = await runAudit(refused, address)

  expect(audit.stdout).toContain(`${found('FAILED', 1)}\n  high: zod `)
  expect(audit.stdout).toContain('(GHSA-1)\n  by OSV, since the registry gives no advisories')
  expect(audit.code).toBe(1)
})

test('npm run audit reports that nothing was audited without the registry and OSV, and why', async () => {
  const audit = await runAudit(refused, 'http://127.0.0.1:1')

  expect(audit.stdout).toContain('not audited: the lockfile. No advisories: 405 Method Not Allowed')
  expect(audit.stdout).toMatch(/nor by OSV: \w+/)
  expect(audit.code).toBe(0)
})

test('the query to OSV has the packages that a deployment installs, by their real names', async () => {
  const { address, asked } = await anOsv({ severity: 'MODERATE' })

  expect(await auditByOsv(lockfile, address)).toEqual([
    { name: 'zod', severity: 'moderate', range: expect.stringContaining('(GHSA-1)') },
  ])

  const names = asked.map((query) => query.package.name)
  expect(asked).toContainEqual({
    package: { name: 'fastify', ecosystem: 'npm' },
    version: expect.any(String),
  })
  expect(names).toContain('@cantoo/pdf-lib')
  expect(names).not.toContain('pdf-lib')
  expect(names).not.toContain('vitest')
})

test('an advisory without a severity counts as high, and a withdrawn one is ignored', async () => {
  const malware = await anOsv({})
  const withdrawn = await anOsv({ severity: 'CRITICAL', withdrawn: '2026-01-01T00:00:00Z' })

  expect(await auditByOsv(lockfile, malware.address)).toMatchObject([{ severity: 'high' }])
  expect(await auditByOsv(lockfile, withdrawn.address)).toEqual([])
})

test.for([
  ['an answer for too few packages', { isCutOff: true }, 'OSV has not answered for each package'],
  ['a fault', { status: 500 }, '500 of 127.0.0.1'],
] as const)('%s of OSV makes the audit impossible', async ([, fault, reason]) => {
  const { address } = await anOsv(fault)

  await expect(auditByOsv(lockfile, address)).rejects.toThrow(reason)
})

type Query = { package: { name: string; ecosystem: string }; version: string }

/** Starts an OSV in which zod has one advisory. Returns what was asked, too. */
async function anOsv({
  severity,
  withdrawn,
  isCutOff = false,
  status = 200,
}: {
  severity?: string | undefined
  withdrawn?: string
  isCutOff?: boolean
  status?: number
}): Promise<{ address: string; asked: Query[] }> {
  const asked: Query[] = []
  const server = createServer(async (request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    if (request.url === '/v1/vulns/GHSA-1') {
      response.end(JSON.stringify({ id: 'GHSA-1', withdrawn, database_specific: { severity } }))
      return
    }
    const { queries } = (await json(request)) as { queries: Query[] }
    asked.push(...queries)
    const results = queries.map(({ package: { name } }) =>
      name === 'zod' ? { vulns: [{ id: 'GHSA-1' }] } : {},
    )
    response.end(JSON.stringify({ results: isCutOff ? results.slice(1) : results }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Runs `npm run audit` with an npm that prints this text, and with an OSV at this address. */
async function runAudit(printed: string, osv: string): Promise<{ stdout: string; code: number }> {
  const audit = spawn(process.execPath, ['scripts/audit.ts'], {
    cwd: root,
    env: { PATH: anNpmThatPrints(printed), OSV_ADDRESS: osv },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [stdout, [code]] = await Promise.all([text(audit.stdout), once(audit, 'close')])
  return { stdout, code }
}

/** Returns a directory with a program npm. Like the real one, it fails whatever it prints. */
function anNpmThatPrints(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'despatch-npm-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const program = join(directory, 'npm')
  writeFileSync(program, `#!/bin/sh\nprintf '%s' '${text}'\nexit 1\n`)
  chmodSync(program, 0o755)
  return directory
}
