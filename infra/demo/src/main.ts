import { readArguments, usage } from './arguments.ts'

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

const given = readArguments(process.argv.slice(2))
if (given.kind !== 'run') {
  if (given.kind === 'wrong') process.stderr.write(`${given.reason}\n\n`)
  process.stdout.write(usage)
  process.exit(given.kind === 'wrong' ? 2 : 0)
}

const stop = new AbortController()
let stopExitCode = 0
for (const [signal, exitCode] of Object.entries(exitCodes)) {
  // npm forwards the terminal's Ctrl-C, so the same signal may come twice.
  process.on(signal, () => {
    if (stopExitCode === 0) stopExitCode = exitCode
    stop.abort(new Error(`stopped by ${signal}`))
  })
}
// The reader of the output has closed it, as after `| head`.
process.stdout.on('error', () => stop.abort(new Error('the output was closed')))

const atItsEnd = process.env.DESPATCH_DATA_DIR ? 'ends it' : 'ends it and removes its data'
process.stdout.write(
  `
 Despatch: seven letters from the request to the post, a vehicle and a driver
 This takes about half a minute. Ctrl-C ${atItsEnd}.

`,
)
// Loaded late, because loading takes a moment. By now there is text to read, and Ctrl-C works.
const { holdDemo } = await import('./hold-demo.ts')
const outcome = await holdDemo({
  environment: process.env,
  terminal: process.stdout,
  isExitWanted: given.exit,
  stop: stop.signal,
})
const unsuccessful = outcome === 'stopped' && stopExitCode > 0 ? stopExitCode : 1
process.exit(outcome === 'succeeded' ? 0 : unsuccessful)
