import { randomInt } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGround } from '../load/ground.ts'
import { endProgram } from '../stack/end-program.ts'
import type { LoopEnvironment } from '../stack/provider-loop/start-provider-loop.ts'
import { deliverUnderFire } from './callbacks/deliver-under-fire.ts'
import type { Finding } from './checks/finding.ts'
import {
  type CallbackSettings,
  type LoopSettings,
  type MutantSettings,
  type OutageSettings,
  parseCommandLine,
  type ScenarioSettings,
  type SoakSettings,
  usage,
} from './command-line.ts'
import { startDatabaseServer } from './ground/database-server.ts'
import { mutants } from './mutants/mutants.ts'
import { renderMutant, runMutants } from './mutants/run-mutants.ts'
import { keepThroughOutages } from './outages/keep-through-outages.ts'
import { renderFindings, renderScenario } from './render-scenarios.ts'
import { runScenarios } from './run-scenarios.ts'
import { runUnderFire } from './run-under-fire.ts'
import { scenarios } from './scenarios/all-scenarios.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { smokeOf } from './scenarios/smoke.ts'
import { soak } from './soak.ts'
import { writeReport } from './write-report.ts'

// A test that is too long to run on every change. It exits with 0 if nothing was lost and nothing came twice, otherwise
// with 1.
const seedMax = 2 ** 31
const commandLine = parseCommandLine(process.argv.slice(2), () => randomInt(1, seedMax))
if (commandLine.kind === 'usage') {
  process.stderr.write(commandLine.fault ? `${commandLine.fault}\n\n${usage}` : usage)
  process.exit(commandLine.fault ? 1 : 0)
}

/** A claim of this many documents is one transaction, which must be able to complete between two blows. */
const documentsPerGap = 5_000
const shortestGapMs = 3_000
/** Callbacks: the rate at which they become owed, and their receivers. */
const callbacksOwedPerSecond = 200
const receivers = 10
const windowsSeconds = [30, 60, 90]
const answerMsMax = 60
/** The share of the time in which trouble occurs. In the remaining time all work must be completed. */
const troubleShare = 0.6
/** Outages: what else is killed, and how often. */
const outageSettings = { databaseRestarts: 3, pipelines: 2, calmMs: 10_000, backoffMsMax: 15_000 }

const interrupted = new AbortController()
const { signal } = interrupted
// Under npm a Ctrl-C arrives twice: from the terminal and from npm. The second must not interrupt the shutdown.
process.on('SIGINT', () => interrupted.abort())
process.on('SIGTERM', () => interrupted.abort())

const { settings } = commandLine
const { seed } = settings
const startedAt = performance.now()
const tell = (line: string) =>
  process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s  ${line}\n`)
try {
  tell(`seed ${seed}`)
  const findings = await run()
  await endProgram(findings.length === 0 ? 0 : 1)
} catch (error) {
  if (signal.aborted) process.exit(130)
  tell(`The fault suite broke: ${error instanceof Error ? error.stack : error}`)
  process.exit(1)
}

type Report = { findings: readonly Finding[]; counts: Readonly<Record<string, number>> }

async function run(): Promise<readonly Finding[]> {
  switch (settings.subject) {
    case 'scenarios':
      return runAll(settings)
    case 'soak':
      return verdict(await runSoak(settings))
    case 'mutants':
      return tryMutants(settings)
    case 'outages':
      return verdict(await runOutages(settings))
    case 'callbacks':
      return verdict(await runCallbacks(settings))
    case 'provider-loop':
      return verdict(await runProviderLoop(settings))
  }
}

async function runAll(given: ScenarioSettings): Promise<Finding[]> {
  const { queues, isWritten } = given
  const wanted = choose(given)
  const reports = await runScenarios(wanted, {
    queues,
    seed,
    records: await makeRecords(),
    signal,
    tell,
    onReport: (report) => {
      if (!settings.json) process.stdout.write(renderScenario(report))
    },
  })
  const minutes = Math.ceil((performance.now() - startedAt) / 60_000)
  const isFull = wanted.length === scenarios.length && queues.length === 2
  if (isWritten) await writeReport(scenarios, { reports, minutes, isFull })
  if (settings.json) process.stdout.write(`${JSON.stringify({ settings, reports }, null, 2)}\n`)
  return reports.flatMap((report) => (report.kind === 'ran' ? report.findings : []))
}

function choose({ only, isSmoke, queues }: ScenarioSettings): readonly Scenario[] {
  if (isSmoke) return queues.map((queue) => smokeOf(queue, { isOnly: !queues.includes('redis') }))
  if (!only) return scenarios
  const missing = only.filter((number) => !scenarios.some((one) => one.number === number))
  if (missing.length > 0) throw new Error(`There is no scenario ${missing.join(', ')}`)
  return scenarios.filter(({ number }) => only.includes(number))
}

async function tryMutants({ only, queue }: MutantSettings): Promise<Finding[]> {
  const wanted = mutants.filter(({ scenario }) => !only || only.includes(scenario))
  const reports = await runMutants(wanted, {
    queue,
    seed,
    signal,
    tell,
    onReport: (report) => {
      if (!settings.json) process.stdout.write(renderMutant(report))
    },
  })
  if (settings.json) process.stdout.write(`${JSON.stringify({ settings, reports }, null, 2)}\n`)
  return reports
    .filter(({ kind }) => kind !== 'found')
    .map(({ mutant, kind }) => ({ rule: 'a break is found', subject: mutant.name, detail: kind }))
}

async function runSoak({ minutes, queue }: SoakSettings): Promise<Report> {
  await using server = await startDatabaseServer()
  const records = await makeRecords()
  return await soak(minutes * 60_000, { queue, server, seed, records, signal, tell })
}

async function makeRecords(): Promise<string> {
  const records = await mkdtemp(join(tmpdir(), 'despatch-faults-records-'))
  tell(`history and logs: ${records}`)
  return records
}

async function runOutages(of: OutageSettings): Promise<Report> {
  await using server = await startDatabaseServer()
  return await keepThroughOutages({
    ...outageSettings,
    queue: of.queue,
    server,
    lettersPerSecond: of.rate,
    outageMs: of.minutes * 60_000,
    recoveryMsMax: of.recoverySeconds * 1_000,
    seed,
    records: await makeRecords(),
    signal,
    tell,
  })
}

async function runCallbacks({ callbacks, deliverers, minutes }: CallbackSettings) {
  const ground = await openGround({ settings: { queue: 'postgres' }, signal, tell })
  const deadlineMs = minutes * 60_000
  try {
    return await deliverUnderFire({
      databaseUrl: ground.databaseUrl,
      callbacks,
      deliverers,
      receivers,
      windowsSeconds,
      addForMs: Math.min((callbacks / callbacksOwedPerSecond) * 1_000, deadlineMs / 2),
      answerMsMax,
      gapMsMax: shortestGapMs,
      isWorse: true,
      troubleMsMax: deadlineMs * troubleShare,
      seed,
      deadlineMs,
      signal,
      tell,
    })
  } finally {
    await ground.close()
  }
}

async function runProviderLoop({ documents, runDocuments, factories, minutes }: LoopSettings) {
  const ground = await openGround({ settings: { queue: 'postgres' }, signal, tell })
  try {
    return await runUnderFire({
      carriers: ground.environment as LoopEnvironment,
      directory: ground.directory,
      documents,
      runDocuments,
      factories,
      gapMsMax: shortestGapMs * Math.max(1, runDocuments / documentsPerGap),
      seed,
      deadlineMs: minutes * 60_000,
      signal,
      tell,
    })
  } finally {
    await ground.close()
  }
}

function verdict(report: Report): readonly Finding[] {
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  process.stdout.write(
    settings.json
      ? `${JSON.stringify({ settings, seconds, ...report }, null, 2)}\n`
      : renderVerdict(report, seconds),
  )
  return report.findings
}

function renderVerdict({ findings, counts }: Report, seconds: number): string {
  const passed = findings.length === 0 ? 'PASSED' : 'FAILED'
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  const first = `${passed}: seed ${seed}, ${seconds} s, ${figures.join(', ')}`
  return `${[first, ...renderFindings(findings)].join('\n')}\n`
}
