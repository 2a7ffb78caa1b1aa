import { endProgram } from '../stack/end-program.ts'
import { measureCallbacks } from './callbacks/measure-callbacks.ts'
import { parseCommandLine, usage } from './command-line.ts'
import { measureDay } from './day/measure-day.ts'
import { measureDocuments } from './documents/measure-documents.ts'
import { measureFairness } from './fairness/measure-fairness.ts'
import { measureFind } from './find/measure-find.ts'
import { openGround } from './ground.ts'
import { measureGrowth } from './growth/measure-growth.ts'
import { measureIntake } from './intake/measure-intake.ts'
import { describeMachine } from './machine.ts'
import { measurePipeline } from './pipeline/measure-pipeline.ts'
import { type Report, renderReport } from './report.ts'
import { measureTemplates } from './templates/measure-templates.ts'

// A measurement, not a test. It exits with 0 regardless of the ratios, and with 1 if something failed.
const commandLine = parseCommandLine(process.argv.slice(2))
if (commandLine.kind === 'usage') {
  process.stderr.write(commandLine.fault ? `${commandLine.fault}\n\n${usage}` : usage)
  process.exit(commandLine.fault ? 1 : 0)
}

const measures = {
  intake: measureIntake,
  pipeline: measurePipeline,
  find: measureFind,
  documents: measureDocuments,
  templates: measureTemplates,
  callbacks: measureCallbacks,
  fairness: measureFairness,
  growth: measureGrowth,
  day: measureDay,
}

const interrupted = new AbortController()
// Under npm a Ctrl-C arrives twice: from the terminal and from npm. The second must not interrupt the shutdown.
process.on('SIGINT', () => interrupted.abort())
process.on('SIGTERM', () => interrupted.abort())

const { settings } = commandLine
const tell = (line: string) => process.stderr.write(`${line}\n`)
try {
  const report = await run()
  process.stdout.write(
    settings.json ? `${JSON.stringify(report, null, 2)}\n` : renderReport(report),
  )
  await endProgram(0)
} catch (error) {
  if (interrupted.signal.aborted) process.exit(130)
  tell(`The bench broke: ${error instanceof Error ? error.stack : error}`)
  process.exit(1)
}

async function run(): Promise<Report> {
  const ground = await openGround({
    settings,
    withRedis: settings.queue === 'redis' || ['pipeline', 'callbacks'].includes(settings.subject),
    signal: interrupted.signal,
    tell,
  })
  try {
    const machine = await describeMachine(ground.databaseUrl)
    const comparisons = await measures[settings.subject](ground, settings)
    return { settings, machine, comparisons }
  } finally {
    await ground.close()
  }
}
