// Runs everything that CI runs. The last line is the count: `N passed, N failed, N skipped`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { auditLockfile } from './audit-lockfile.ts'
import { root, runStep, summaryLine } from './run-step.mjs'

// The suites run one after the other, each with several files at a time: while one waits for a lease or an answer,
// another works. With more files than processors, tests that measure time would fail, so they run with the unit tests.
const suites = [
  {
    name: 'unit tests, guards and tests that measure time',
    projects: ['unit', 'guards', 'measured'],
    workers: availableParallelism(),
  },
  {
    name: 'component tests',
    projects: ['component'],
    workers: availableParallelism() + 2,
  },
  {
    name: 'end-to-end tests and recovery from faults',
    projects: ['e2e', 'recovery'],
    workers: availableParallelism() + 1,
  },
  {
    name: 'the smoke of faults',
    projects: ['smoke'],
    workers: 1,
  },
]

// Tests start hundreds of processes, and a third of the cost of a start is compiling the same modules again.
const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') }

/** The number of characters of the reason of a failure that its line has. */
const reasonMax = 300

const checks = ['lint', 'types', 'boundaries']

const reports = mkdtempSync(join(tmpdir(), 'despatch-reports-'))
const counts = [await runChecks(), await runAudit()]
const failures = []
for (const [index, suite] of suites.entries()) {
  const report = join(reports, `${index}.json`)
  const result = await runStep({
    name: suite.name,
    command: vitest(suite, report),
    env: compiled,
    show: true,
  })
  console.log(summaryLine(result))
  counts.push(countTests(report, result))
  failures.push(...linesOfFailures(report))
}
rmSync(reports, { recursive: true, force: true })

const sum = (key) => counts.reduce((total, count) => total + count[key], 0)
const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
for (const failure of failures) console.log(failure)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)

function vitest({ projects, workers }, report) {
  const chosen = projects.flatMap((project) => ['--project', project])
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report]
  return ['vitest', 'run', ...chosen, '--maxWorkers', `${workers}`, ...reporters]
}

/** Runs the checks that need no server. A failed one does not keep the others from running. */
async function runChecks() {
  const result = await runStep({
    name: checks.join(', '),
    command: ['turbo', 'run', ...checks, '--continue'],
    env: { TURBO_TELEMETRY_DISABLED: '1' },
    show: true,
  })
  console.log(summaryLine(result))
  return { passed: result.passed ? checks.length : 0, failed: result.passed ? 0 : 1, skipped: 0 }
}

/** Audits the lockfile if advisories can be read. Otherwise it says so, and counts nothing. */
async function runAudit() {
  const { verdict, text } = await auditLockfile()
  console.log(text)
  return { passed: +(verdict === 'passed'), failed: +(verdict === 'failed'), skipped: 0 }
}

/** A failed run without a failed test (no tests found, an error outside tests) counts as one failure. */
function countTests(report, { passed }) {
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
    numTodoTests = 0,
  } = readReport(report)
  return {
    passed: numPassedTests,
    failed: passed ? numFailedTests : Math.max(numFailedTests, 1),
    skipped: numPendingTests + numTodoTests,
  }
}

/** Returns one line for each failure: the output of a whole run is long, and often only its end is kept. */
function linesOfFailures(report) {
  const { testResults = [] } = readReport(report)
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    const file = relative(root, name)
    if (failed.length === 0) return status === 'failed' ? [lineOfFailure(file, message)] : []
    return failed.map(({ fullName, failureMessages: [reason] }) =>
      lineOfFailure(`${file} > ${fullName}`, reason),
    )
  })
}

function lineOfFailure(where, reason = '') {
  const [line] = reason.split('\n')
  return `FAILED  ${where}: ${line.slice(0, reasonMax)}`
}

function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return {}
  }
}
