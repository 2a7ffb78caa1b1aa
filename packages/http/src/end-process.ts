import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Ends the process with this code, or with `process.exitCode`. Node first waits for its threads that compile. One of them
 * may wait for garbage to be collected, which the main thread no longer does, and then the process hangs
 * (nodejs/node#54918). After a collection there is room for what they compile.
 */
export function endProcess(exitCode?: number): never {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  process.exit(exitCode ?? process.exitCode)
}
