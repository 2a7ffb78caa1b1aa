// Typesets letters, one at a time, in a process that may be killed. A thread of it watches what each letter takes, because
// the compiler does not return to JavaScript before it has finished.
import { Worker } from 'node:worker_threads'
import { type Typeset, type TypesetRequest, typeset } from './typeset.ts'
import type { Taking } from './watch-typesetting.ts'

export type TypesettingTask = { request: TypesetRequest; taking: Taking }
/** `processorMs`: what the letter took. */
export type TypesettingAnswer = { typeset: Typeset; processorMs: number }

const watch = new Worker(new URL('./watch-typesetting.ts', import.meta.url))

process.on('message', ({ request, taking }: TypesettingTask) => {
  const from = process.cpuUsage()
  watch.postMessage({ ...taking, from })
  const letter = typeset(request)
  watch.postMessage(undefined)
  const { user, system } = process.cpuUsage(from)
  process.send!({
    typeset: letter,
    processorMs: (user + system) / 1000,
  } satisfies TypesettingAnswer)
})
process.on('disconnect', () => process.exit())
