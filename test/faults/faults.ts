import { randomInt } from 'node:crypto'
import { openGround } from '../load/ground.ts'
import type { LoopEnvironment } from '../stack/provider-loop/start-provider-loop.ts'
import { parseCommandLine, type Settings, usage } from './command-line.ts'
import { type FireReport, runUnderFire } from './run-under-fire.ts'

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
const findingsToldMax = 20

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

async function run({ minutes, ...settings }: Settings): Promise<FireReport> {
  const { signal } = interrupted
  const ground = await openGround({ settings: { queue: 'postgres' }, signal, tell })
  try {
    return await runUnderFire({
      carriers: ground.environment as LoopEnvironment,
      directory: ground.directory,
      ...settings,
      gapMsMax: shortestGapMs * Math.max(1, settings.runDocuments / documentsPerGap),
      deadlineMs: minutes * 60_000,
      signal,
      tell,
    })
  } finally {
    await ground.close()
  }
}

function renderVerdict({ findings, counts }: FireReport, seconds: number): string {
  const verdict = findings.length === 0 ? 'PASSED' : 'FAILED'
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  const lines = [
    `${verdict}: seed ${settings.seed}, ${seconds} s, ${figures.join(', ')}`,
    ...findings
      .slice(0, findingsToldMax)
      .map(({ rule, subject, detail }) => `  not so: ${rule}: ${subject} ${detail}`),
  ]
  const more = findings.length - findingsToldMax
  return `${[...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n')}\n`
}
