import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { readPreviousRelease } from './previous-release.ts'
import { unpackRelease } from './unpack-release.ts'

const root = resolve(import.meta.dirname, '../..')
const { commit, lacks } = await readPreviousRelease(root)
const deadlineMs = 220_000

type Report = {
  numPassedTests: number
  testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[]
}

// During an upgrade, services of both releases run at the same time.
test('the store of the previous release passes its tests on the newest schema', async (context) => {
  if (lacks !== undefined) context.skip(lacks)
  await using release = await unpackRelease(root, commit)
  const report = join(release.path, 'report.json')
  await writeFile(join(release.path, 'vitest.config.ts'), configuration)

  let output = ''
  await promisify(execFile)(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    {
      cwd: release.path,
      timeout: deadlineMs,
      env: { ...process.env, DESPATCH_TEST_INFRA: JSON.stringify(inject('infra')) },
    },
  ).catch((error: Error & { stdout?: string; stderr?: string }) => {
    // The report contains the failed tests.
    output = `${error.message}\n${error.stdout}\n${error.stderr}`
  })
  const text = await readFile(report, 'utf8').catch((cause) => {
    throw new Error(`The tests of the previous release did not run: ${output}`, { cause })
  })
  const { numPassedTests, testResults } = JSON.parse(text) as Report

  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
  expect(failed.map(({ fullName }) => fullName)).toEqual([])
  expect(numPassedTests).toBeGreaterThan(40)
})

// Only what both releases write while one replaces the other. The rest of the suite takes minutes and shows nothing
// more.
const suite = [
  'submissions',
  'uploads',
  'steps',
  'print-jobs',
  'print-jobs-hold',
  'print-runs-reassign',
  'callbacks-take',
]

const configuration = `
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ${JSON.stringify(suite.map((name) => `packages/store/test/${name}.component.test.ts`))},
    globalSetup: ${JSON.stringify(join(import.meta.dirname, 'provide-infra.ts'))},
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
`
