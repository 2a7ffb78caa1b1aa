// Runs the landing loop beside three busy processes, as on a machine that is slow or has other work.
import { spawn } from 'node:child_process'
import { runStep } from './run-step.mjs'

const busyProcesses = 3
/** Ends with the process that started it, even if that one is killed. */
const busy = 'while (process.ppid === Number(process.argv[1]));'

for (let each = 0; each < busyProcesses; each += 1) {
  spawn(process.execPath, ['-e', busy, `${process.pid}`], { stdio: 'ignore' }).unref()
}
const command = ['node', 'scripts/test.mjs']
const { passed } = await runStep({ name: 'the landing loop', command, show: true })
process.exitCode = passed ? 0 : 1
