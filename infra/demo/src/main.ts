import { parseArgs } from 'node:util'

const usage = `Usage: npm run demo [-- --exit]

  --exit  end after the demonstration, with 0 when all went as it should and 1 otherwise

It runs on a database, an object store and files of its own, in a temporary folder that it removes at the end.
`
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

const { exit: isExitWanted = false, help } = readOptions()
if (help) {
  process.stdout.write(usage)
  process.exit(0)
}

const stop = new AbortController()
let stopExitCode = 1
for (const [signal, exitCode] of Object.entries(exitCodes)) {
  // npm forwards the terminal's Ctrl-C, so the same signal may come twice.
  process.on(signal, () => {
    if (!stop.signal.aborted) stopExitCode = exitCode
    stop.abort(new Error(`stopped by ${signal}`))
  })
}
// The reader of the output has closed it, as after `| head`.
process.stdout.on('error', () => stop.abort(new Error('the output was closed')))

process.stdout.write(`
 Despatch: seven letters from the request to the post, a vehicle and a driver
 This takes about half a minute. Ctrl-C ends it and removes its data.

`)
// Loaded late, because loading takes a moment. By now there is text to read, and Ctrl-C works.
const [{ holdDemo }, { endProcess }] = await Promise.all([
  import('./hold-demo.ts'),
  import('@despatch/http/end-process'),
])
const outcome = await holdDemo({ isExitWanted, stop: stop.signal })
endProcess({ succeeded: 0, failed: 1, stopped: stopExitCode }[outcome])

function readOptions() {
  try {
    const options = { exit: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ options }).values
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}
