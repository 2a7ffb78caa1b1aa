import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './tree.ts'

// By its path: it belongs to no workspace.
const { judgeAudit } = await import(join(root, 'scripts/audit-lockfile.ts'))

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
])('%s: %2$s', ([, printed, verdict, text]) => {
  expect(judgeAudit(printed)).toEqual({ verdict, text: expect.stringContaining(text) })
})

test('npm run audit fails if much is found', () => {
  const audit = spawnSync(process.execPath, ['scripts/audit.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: anNpmThatPrints(answer('high')) },
  })

  expect(audit.stdout).toContain(found('FAILED', 1))
  expect(audit.status).toBe(1)
})

/** Returns a directory with a program npm. Like the real one, it fails whatever it prints. */
function anNpmThatPrints(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'despatch-npm-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const program = join(directory, 'npm')
  writeFileSync(program, `#!/bin/sh\nprintf '%s' '${text}'\nexit 1\n`)
  chmodSync(program, 0o755)
  return directory
}
