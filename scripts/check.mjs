// The everyday loop. `npm run check` checks what has changed since it last did: lint, types, boundaries and unit tests.
// `npm run check -- --related FILE…` lints these files, and runs the types and the unit tests that import them.
import { parseArgs } from 'node:util'
import { runStep, summaryLine } from './run-step.mjs'

const env = { TURBO_TELEMETRY_DISABLED: '1' }
const all = ['turbo', 'run', 'lint', 'types', 'boundaries', 'unit', '--continue']
const files = readFiles()

const commands = files
  ? {
      lint: ['biome', 'check', ...files],
      types: ['turbo', 'run', 'types'],
      'related unit tests': [
        'vitest',
        'related',
        '--run',
        '--passWithNoTests',
        '--project',
        'unit',
        ...files,
      ],
    }
  : { 'lint, types, boundaries, unit': all }

let isGood = true
for (const [name, command] of Object.entries(commands)) {
  const result = await runStep({ name, command, env, show: true })
  console.log(summaryLine(result))
  isGood &&= result.passed
}
process.exitCode = isGood ? 0 : 1

/** Returns the files of `--related`, or undefined without it. Ends the process if there are none. */
function readFiles() {
  const options = { related: { type: 'boolean', default: false } }
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    if (values.related === positionals.length > 0) return values.related ? positionals : undefined
    throw new Error('Usage: npm run check, or npm run check -- --related FILE…')
  } catch (error) {
    console.error(error.message)
    process.exit(2)
  }
}
