import { writeProgress } from '../src/progress.ts'
import type { ThreadTask } from '../src/threads.ts'

export type StubbornTask =
  | 'answer'
  | 'hang-on-file'
  | 'hang-on-letter'
  | 'eat-objects'
  | 'eat-buffers'
  | 'eat-wasm'
  | 'throw'
  | 'exit'
  | 'sleep'

/** Does what the task's name says, as if with the second file of a letter. */
export default async function beStubborn({ task, progress }: ThreadTask<StubbornTask>) {
  const report = writeProgress(progress)
  report.working(1)
  const hoard: unknown[] = []
  switch (task) {
    case 'answer':
      return 'done'
    case 'hang-on-file':
      for (;;) Math.random()
    case 'hang-on-letter':
      report.workingOnLetter()
      for (;;) Math.random()
    case 'eat-objects':
      for (;;) hoard.push({ number: Math.random(), list: [Math.random()] })
    case 'eat-buffers':
      for (;;) if (hoard.length < 40) hoard.push(Buffer.alloc(5_000_000, 1))
    case 'eat-wasm':
      report.workingOnLetter()
      hoard.push(new wasm.Memory({ initial: 3_200 }))
      for (;;) Math.random()
    case 'throw':
      throw new RangeError('a fault of ours')
    case 'exit':
      process.exit(3)
      break
    case 'sleep':
      return new Promise((done) => setTimeout(done, 60_000))
  }
}

// The types of this project exclude browser APIs and so WebAssembly.
const wasm = (
  globalThis as unknown as { WebAssembly: { Memory: new (of: { initial: number }) => unknown } }
).WebAssembly
