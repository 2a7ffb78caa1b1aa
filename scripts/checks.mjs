import { runStep, summaryLine } from './run-step.mjs'

const checks = [
  { name: 'format and lint', command: ['biome', 'check'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  {
    name: 'package boundaries',
    command: ['turbo', 'boundaries'],
    env: { TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', CI: '1' },
  },
]

/** Runs the checks that need no server, all at once. Prints the output of the failed ones, and a line for each. */
export async function runChecks(more = []) {
  const results = await Promise.all([...checks, ...more].map(runStep))
  for (const { name, passed, output } of results) {
    if (!passed) console.log(`--- ${name}\n${output.trimEnd()}\n`)
  }
  for (const result of results) console.log(summaryLine(result))
  return results
}
