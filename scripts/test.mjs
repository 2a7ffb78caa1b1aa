// Runs the tests. `npm test` is the landing loop, which CI runs. `npm run test:all` runs every test, and
// `npm run test:all -- --shard 2/3` the second of three parts. The last line is the count: `N passed, N failed, N skipped`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { auditLockfile } from './audit-lockfile.ts'
import { root, runStep, summaryLine } from './run-step.mjs'

const { isAll, part, parts } = readArguments()

// Tests start hundreds of processes, and a third of the cost of a start is compiling the same modules again.
const env = {
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
  TEST_EFFORT: isAll ? 'full' : 'landing',
}

/** The number of characters of the reason of a failure that its line has. */
const reasonMax = 300

const checks = ['lint', 'types', 'boundaries']

// Suites of one track run one after the other. In the landing loop a second track runs beside the first: while the files of
// one wait for a lease or an answer, those of the other work. In the full loop some suites need all processors.
const tracks = isAll ? [suitesOfAll()] : tracksOfLanding()

const reports = mkdtempSync(join(tmpdir(), 'despatch-reports-'))
const counts = []
const failures = []
await Promise.all(tracks.map((suites, index) => runTrack(suites.filter(isOfThisPart), index === 0)))
rmSync(reports, { recursive: true, force: true })

const sum = (key) => counts.reduce((total, count) => total + count[key], 0)
const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
for (const failure of failures) console.log(failure)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)

/** Reads `--all` and `--shard k/n`. Ends the process if they are wrong. */
function readArguments() {
  const usage = 'Usage: npm test, or npm run test:all -- --shard 1/3'
  try {
    const options = { all: { type: 'boolean', default: false }, shard: { type: 'string' } }
    const { all, shard } = parseArgs({ options }).values
    const [, part, parts] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(shard ?? '1/1') ?? []
    if (!(Number(part) <= Number(parts)) || (shard !== undefined && !all)) throw new Error(usage)
    return { isAll: all, part: Number(part), parts: Number(parts) }
  } catch (error) {
    console.error(error.message)
    process.exit(2)
  }
}

/** A suite that is not divided belongs to one part; of fewer parts, to the last one. */
function isOfThisPart(suite) {
  return suite.part === undefined || Math.min(suite.part, parts) === part
}

function tracksOfLanding() {
  const processors = availableParallelism()
  return [
    [
      { name: 'unit tests and guards', projects: ['unit', 'guards'], workers: processors },
      { name: 'component tests', projects: ['component'], workers: processors + 1 },
    ],
    [
      { name: checks.join(', '), run: runChecks },
      { name: 'audit', run: runAudit },
      { name: 'the smoke of faults', projects: ['smoke'], workers: 1 },
      { name: 'the main journeys from end to end', projects: ['journeys'], workers: processors },
    ],
  ]
}

function suitesOfAll() {
  const processors = availableParallelism()
  return [
    { name: checks.join(', '), run: runChecks, part: 1 },
    { name: 'audit', run: runAudit, part: 1 },
    { name: 'unit tests and guards', projects: ['unit', 'guards', 'tools'], workers: processors },
    { name: 'component tests', projects: ['component'], workers: processors + 1 },
    {
      name: 'end-to-end tests and recovery from faults',
      projects: ['journeys', 'e2e', 'recovery'],
      workers: processors + 1,
    },
    { name: 'extensive component tests', projects: ['extensive'], workers: processors + 2 },
    // These have too few files to be divided: each belongs to one part.
    { name: 'the smoke of faults', projects: ['smoke'], workers: 1, part: 1 },
    {
      name: 'operations whose replies are lost',
      projects: ['lost-replies'],
      workers: processors,
    },
    { name: 'processes under fire', projects: ['under-fire'], workers: processors, part: 2 },
    { name: 'tests that measure time', projects: ['timed'], workers: 1, part: 1 },
  ]
}

/** Runs suites one after the other. The output of a track is shown as it comes, or suite by suite. */
async function runTrack(suites, show) {
  for (const suite of suites) counts.push(await (suite.run ?? runTests)(suite, show))
}

async function runTests(suite, show) {
  const report = join(reports, `${suite.projects[0]}.json`)
  const result = await runStep({ name: suite.name, command: vitest(suite, report), env, show })
  if (!show) console.log(result.output)
  console.log(summaryLine(result))
  failures.push(...linesOfFailures(report))
  return countTests(report, result)
}

function vitest({ projects, workers, part: only }, report) {
  const chosen = projects.flatMap((project) => ['--project', project])
  const shard = parts === 1 || only !== undefined ? [] : ['--shard', `${part}/${parts}`]
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report]
  return ['vitest', 'run', ...chosen, ...shard, '--maxWorkers', `${workers}`, ...reporters]
}

/** Runs the checks that need no server. A failed one does not keep the others from running. */
async function runChecks({ name }, show) {
  const command = ['turbo', 'run', ...checks, '--continue']
  const result = await runStep({ name, command, env: { TURBO_TELEMETRY_DISABLED: '1' }, show })
  if (!show) console.log(result.output)
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
    return failed.map(({ fullName, failureMessages: [reason], ...test }) =>
      lineOfFailure(`${file} > ${fullName}${starvation(test)}`, reason),
    )
  })
}

/** Says how long a test waited for a processor. One that waited for much of its time may have failed for that reason. */
function starvation({ duration, meta: { starvedMs } }) {
  const [starved, whole] = [starvedMs, duration].map((ms) => (ms / 1000).toFixed(1))
  return starvedMs > 0 ? ` (starved for ${starved} of ${whole} s)` : ''
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
