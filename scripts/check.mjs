// Runs all checks that need no server. Takes seconds; run it before each commit.
import { runChecks } from './checks.mjs'

const unit = {
  name: 'unit tests',
  command: ['vitest', 'run', '--project', 'unit', '--reporter', 'minimal'],
}
const results = await runChecks([unit])
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
