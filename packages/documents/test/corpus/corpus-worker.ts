import { readFile } from 'node:fs/promises'
import { parentPort } from 'node:worker_threads'
import { compareFile } from './compare-file.ts'

parentPort!.on('message', async (path: string) => {
  try {
    parentPort!.postMessage(await compareFile(await readFile(path)))
  } catch (error) {
    parentPort!.postMessage({ outcome: 'failed', why: String(error), kinds: [] })
  }
})
