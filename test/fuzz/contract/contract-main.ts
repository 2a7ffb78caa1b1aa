import { parseArgs } from 'node:util'
import { openGround } from '../../load/ground.ts'
import { endProgram } from '../../stack/end-program.ts'
import { liftUsagePlans } from '../../stack/lift-usage-plans.ts'
import { startDespatch } from '../../stack/start-despatch.ts'
import { fuzzEnvironment } from './fuzz-environment.ts'
import { renderReport } from './render-report.ts'
import { isSound, runContractFuzz } from './run-contract-fuzz.ts'

const usage = `npm run fuzz -- contract [flags]

  --requests N      requests to make (100000)
  --seed N          which requests they are (1)
  --operation ID    of this operation alone, by its operationId or as api/operationId
  --concurrency N   requests under way at the same time (8)
`

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    operation: { type: 'string' },
    concurrency: { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
const seed = wholeNumber('seed', values.seed)
const tell = (line: string) => process.stderr.write(`${line}\n`)
const interrupted = new AbortController()
process.on('SIGINT', () => interrupted.abort())
process.on('SIGTERM', () => interrupted.abort())

const ground = await openGround({
  settings: { queue: 'postgres' },
  signal: interrupted.signal,
  tell,
})
let isGood = false
try {
  await liftUsagePlans(ground.databaseUrl)
  await using despatch = await startDespatch(ground.directory, {
    ...ground.environment,
    ...fuzzEnvironment,
  })
  const report = await runContractFuzz(despatch, {
    seed,
    requests: wholeNumber('requests', values.requests),
    concurrency: wholeNumber('concurrency', values.concurrency),
    ...(values.operation !== undefined && { operation: values.operation }),
    restore: async () => {
      interrupted.signal.throwIfAborted()
      await liftUsagePlans(ground.databaseUrl)
    },
    tell,
  })
  process.stdout.write(renderReport(report, seed))
  isGood = isSound(report)
} finally {
  await ground.close()
}
await endProgram(isGood ? 0 : 1)

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  process.stderr.write(`--${name} must be a whole number above 0\n\n${usage}`)
  process.exit(1)
}
