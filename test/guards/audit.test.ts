import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './tree.ts'

const answer = (...severities: string[]) =>
  JSON.stringify({
    vulnerabilities: Object.fromEntries(
      severities.map((severity) => [severity, { name: `a-${severity}`, severity, range: '<2' }]),
    ),
    metadata: { vulnerabilities: { total: severities.length } },
  })
const found = (mark: string, count: number) =>
  `${mark} audit of the lockfile: ${count} packages with advisories`

test.for<[what: string, printed: string, status: number, text: string]>([
  ['nothing is found', answer(), 0, found('ok    ', 0)],
  ['little is found', answer('low', 'moderate'), 0, found('ok    ', 2)],
  [
    'much is found',
    answer('low', 'high'),
    1,
    `${found('FAILED', 2)}\n  low: a-low <2\n  high: a-high <2`,
  ],
  ['the worst is found', answer('critical'), 1, '  critical: a-critical <2'],
  [
    'the source refuses',
    '{"message":"405 Method"}',
    0,
    'not audited: the lockfile. No advisories: 405 Method',
  ],
  ['the source is away', '', 0, 'not audited: the lockfile.'],
  ['the answer is cut off', '{"vulnerabilities":', 0, 'not audited: the lockfile.'],
])('%s: %2$s', ([, printed, status, text]) => {
  const audit = spawnSync(process.execPath, ['scripts/audit.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: anNpmThatPrints(printed) },
  })

  expect(audit.status).toBe(status)
  expect(audit.stdout).toContain(text)
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
