import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

// Loaded into the process under test before its program. On SIGUSR2 it collects garbage and writes the remaining
// memory.
if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  process.on('SIGUSR2', () => {
    collect()
    collect()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.stdout.write(
      `heap-probe ${JSON.stringify({ heapBytes: heapUsed + external, rssBytes: rss })}\n`,
    )
  })
}
