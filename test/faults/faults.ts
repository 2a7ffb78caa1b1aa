import { randomInt } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGround } from '../load/ground.ts'
import type { LoopEnvironment } from '../stack/provider-loop/start-provider-loop.ts'
import { deliverUnderFire } from './callbacks/deliver-under-fire.ts'
import { parseCommandLine, type Settings, usage } from './command-line.ts'
import { keepThroughOutages } from './outages/keep-through-outages.ts'
import { runUnderFire } from './run-under-fire.ts'

// A test that is too long for every change: it ends with 0 when nothing was lost and nothing came twice, and else with 1.
const seedMax = 2 ** 31
const commandLine = parseCommandLine(process.argv.slice(2), () => randomInt(1, seedMax))
if (commandLine.kind === 'usage') {
  process.stderr.write(commandLine.fault ? `${commandLine.fault}\n\n${usage}` : usage)
  process.exit(commandLine.fault ? 1 : 0)
}

/** A claim of this many is one transaction, which has to come through between two blows. */
const documentsPerGap = 5_000
const shortestGapMs = 3_000
/** Of each rule. */
const findingsToldMax = 5
/** Callbacks: how fast they are owed, and to whom. */
const callbacksOwedPerSecond = 200
const receivers = 10
const windowsSeconds = [30, 60, 90]
const answerMsMax = 60
/** Then all has to come to its end in the time that is left. */
const troubleShare = 0.6
/** Outages: what else is killed. */
const outageSettings = {
  databaseRestarts: 3,
  pipelines: 2,
  calmMs: 10_000,
  backoffMsMax: 15_000,
}

const interrupted = new AbortController()
// Under npm a Ctrl-C comes twice: from the terminal and from npm. The second must not cut the closing short.
process.on('SIGINT', () => interrupted.abort())
process.on('SIGTERM', () => interrupted.abort())

const { settings } = commandLine
const startedAt = performance.now()
const tell = (line: string) =>
  process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s  ${line}\n`)
try {
  tell(`seed ${settings.seed}`)
  const report = await run(settings)
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  process.stdout.write(
    settings.json
      ? `${JSON.stringify({ settings, seconds, ...report }, null, 2)}\n`
      : renderVerdict(report, seconds),
  )
  process.exit(report.findings.length === 0 ? 0 : 1)
} catch (error) {
  if (interrupted.signal.aborted) process.exit(130)
  tell(`The fault suite broke: ${error instanceof Error ? error.stack : error}`)
  process.exit(1)
}

type Report = {
  findings: readonly { rule: string; subject: string; detail: string }[]
  counts: Readonly<Record<string, number>>
}

async function run(settings: Settings): Promise<Report> {
  const { signal } = interrupted
  if (settings.subject === 'outages') {
    const records = await mkdtemp(join(tmpdir(), 'despatch-outages-'))
    tell(`history and logs: ${records}`)
    const { seed, queue, rate, minutes, recoverySeconds } = settings
    return await keepThroughOutages({
      ...outageSettings,
      queue,
      lettersPerSecond: rate,
      outageMs: minutes * 60_000,
      recoveryMsMax: recoverySeconds * 1_000,
      seed,
      records,
      signal,
      tell,
    })
  }
  const queue = settings.subject === 'callbacks' ? settings.queue : 'postgres'
  const ground = await openGround({ settings: { queue }, signal, tell })
  const { seed, minutes } = settings
  const common = { seed, deadlineMs: minutes * 60_000, signal, tell }
  try {
    if (settings.subject === 'callbacks') {
      const { callbacks, deliverers } = settings
      return await deliverUnderFire({
        carriers: { DATABASE_URL: ground.databaseUrl, QUEUE_URL: ground.queueUrl },
        callbacks,
        deliverers,
        receivers,
        windowsSeconds,
        oweForMs: Math.min((callbacks / callbacksOwedPerSecond) * 1_000, common.deadlineMs / 2),
        answerMsMax,
        gapMsMax: shortestGapMs,
        isWorse: true,
        troubleMsMax: common.deadlineMs * troubleShare,
        ...common,
      })
    }
    const { documents, runDocuments, factories } = settings
    return await runUnderFire({
      carriers: ground.environment as LoopEnvironment,
      directory: ground.directory,
      documents,
      runDocuments,
      factories,
      gapMsMax: shortestGapMs * Math.max(1, runDocuments / documentsPerGap),
      ...common,
    })
  } finally {
    await ground.close()
  }
}

function renderVerdict({ findings, counts }: Report, seconds: number): string {
  const verdict = findings.length === 0 ? 'PASSED' : 'FAILED'
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  const told = [...Map.groupBy(findings, ({ rule }) => rule).values()].flatMap((of) => [
    ...of
      .slice(0, findingsToldMax)
      .map(({ rule, subject, detail }) => `  not so: ${rule}: ${subject} ${detail}`),
    ...(of.length > findingsToldMax ? [`  and ${of.length - findingsToldMax} more like it`] : []),
  ])
  const first = `${verdict}: seed ${settings.seed}, ${seconds} s, ${figures.join(', ')}`
  return `${[first, ...told].join('\n')}\n`
}
