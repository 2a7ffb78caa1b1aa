import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

// Loaded into the process that is tried, ahead of its program: on SIGUSR2 it collects garbage and writes what is left.
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
