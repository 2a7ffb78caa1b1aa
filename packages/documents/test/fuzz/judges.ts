import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { MediaType } from '../../src/file-signature.ts'
import type { Target } from './targets.ts'

export type Question = { target: Target; mediaType: MediaType; bytes: Uint8Array }

/**
 * `fault`: an exception. `hang`: more time than allowed. `crash`: the end of the thread. `noise`: a line on the
 * console, which may quote the file.
 */
export type Judged = {
  verdict: 'accept' | 'reject' | 'fault' | 'hang' | 'crash' | 'noise'
  ms: number
  /** Absent: the check did not end by itself. */
  findings?: readonly Finding[]
  told?: string | undefined
}

export type Judge = { judge(question: Question): Promise<Judged>; close(): Promise<void> }

/** Starts a thread that checks files one after the other. It is restarted if it takes too long. */
export function startJudge({
  deadlineMs,
  memoryMiBMax,
}: {
  deadlineMs: number
  memoryMiBMax: number
}): Judge {
  let worker: Promise<Worker> | undefined
  let told = ''

  async function start(): Promise<Worker> {
    const started = new Worker(new URL('./judge-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: memoryMiBMax },
      stdout: true,
      stderr: true,
    })
    const listen = (chunk: Buffer) => {
      told += chunk.toString()
    }
    started.stdout.on('data', listen)
    started.stderr.on('data', listen)
    await once(started, 'message')
    return started
  }

  async function stop(): Promise<void> {
    const running = worker
    worker = undefined
    await (await running)?.terminate()
  }

  async function judge(question: Question): Promise<Judged> {
    worker ??= start()
    const running = await worker
    const begun = performance.now()
    const settled = new AbortController()
    told = ''
    running.postMessage(question)
    const { signal } = settled
    const late = AbortSignal.timeout(deadlineMs)
    try {
      const judged = await Promise.race([
        once(running, 'message', { signal: AbortSignal.any([signal, late]) }).then(
          ([value]) => value as Judged,
        ),
        once(running, 'exit', { signal }).then(() => undefined),
      ])
      if (!judged) throw new Error('the thread ended')
      return told ? { ...judged, verdict: 'noise', told } : judged
    } catch (error) {
      await stop()
      const verdict = late.aborted ? 'hang' : 'crash'
      return { verdict, ms: performance.now() - begun, told: `${error} ${told}` }
    } finally {
      settled.abort()
    }
  }

  return { judge, close: stop }
}

/** Measures the peak memory of this process during `run`, above the memory before it. Includes threads. */
export async function measureMemory<Result>(
  run: () => Promise<Result>,
): Promise<{ result: Result; grownMiB: number }> {
  const MiB = 1024 * 1024
  const before = process.memoryUsage.rss()
  let most = before
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 10)
  try {
    const result = await run()
    look()
    return { result, grownMiB: (most - before) / MiB }
  } finally {
    clearInterval(timer)
  }
}
