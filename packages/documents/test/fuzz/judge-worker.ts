import { parentPort } from 'node:worker_threads'
import { isRefused } from '@despatch/domain/preflight/finding'
import type { Judged, Question } from './judges.ts'
import { targets } from './targets.ts'

parentPort!.on('message', async ({ target, mediaType, bytes }: Question) => {
  const begun = performance.now()
  let judged: Omit<Judged, 'ms'>
  try {
    const findings = await targets[target](bytes, mediaType)
    judged = { verdict: isRefused(findings) ? 'reject' : 'accept', findings }
  } catch (error) {
    judged = { verdict: 'fault', told: error instanceof Error ? error.stack : String(error) }
  }
  parentPort!.postMessage({ ...judged, ms: performance.now() - begun } satisfies Judged)
})
parentPort!.postMessage('ready')
