// Typesets letters, one at a time, in a process that may be killed. A thread of it watches what each letter takes, because
// the compiler does not return to JavaScript before it has finished.
import { Worker } from 'node:worker_threads'
import { type TypesetRequest, typeset } from './typeset.ts'
import type { Taking } from './watch-typesetting.ts'

export type TypesettingTask = { request: TypesetRequest; taking: Taking }

const watch = new Worker(new URL('./watch-typesetting.ts', import.meta.url))

process.on('message', ({ request, taking }: TypesettingTask) => {
  watch.postMessage({ ...taking, from: process.cpuUsage() })
  const typesetLetter = typeset(request)
  watch.postMessage(undefined)
  process.send!(typesetLetter)
})
process.on('disconnect', () => process.exit())
