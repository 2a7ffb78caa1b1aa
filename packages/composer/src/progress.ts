import { getHeapStatistics } from 'node:v8'
import { threadId as ownThreadId } from 'node:worker_threads'

/**
 * Progress of a task in shared memory, readable while the thread is busy and cannot answer. The thread writes; the main
 * thread reads.
 */
export type Progress = SharedArrayBuffer

const slot = { threadId: 0, file: 1, pages: 2 } as const
const slotsBytes = 4 * Int32Array.BYTES_PER_ELEMENT
const measure = { begunMs: 0, memoryBytes: 1, endedMs: 2 } as const
const measuresBytes = 3 * Float64Array.BYTES_PER_ELEMENT
/** No file: the task works on the whole letter. */
const noFile = 0

export function newProgress(): Progress {
  return new SharedArrayBuffer(slotsBytes + measuresBytes)
}

type ProgressWriter = {
  /** Work on a file begins or continues. Its processor time counts towards the file. */
  working(fileIndex: number, pages?: number): void
  /** Work on the whole letter begins or continues. */
  workingOnLetter(): void
  /** The task ends. */
  end(): void
}

/** Records in the task's own thread that the task has begun. */
export function writeProgress(progress: Progress): ProgressWriter {
  const { slots, measures } = viewOf(progress)
  measures[measure.begunMs] = processorMs()
  measures[measure.memoryBytes] = memoryBytesOf(getHeapStatistics())
  // Stored last and atomically: a reader that sees the thread id also sees the values above.
  Atomics.store(slots, slot.threadId, ownThreadId)
  return {
    working: (fileIndex, pages = 0) => {
      Atomics.store(slots, slot.pages, pages)
      Atomics.store(slots, slot.file, fileIndex + 1)
    },
    workingOnLetter: () => Atomics.store(slots, slot.file, noFile),
    end: () => {
      measures[measure.endedMs] = processorMs()
    },
  }
}

type ReadProgress = {
  threadId: number
  fileIndex: number | undefined
  /** Pages of the file, as far as the task knows. */
  pages: number
  /** What the thread had used before the task. */
  begun: { processorMs: number; memoryBytes: number }
  /** What the thread had used at the end of the task. */
  endedMs: number | undefined
}

/** Returns the progress, or undefined if no thread has begun the task. */
export function readProgress(progress: Progress): ReadProgress | undefined {
  const { slots, measures } = viewOf(progress)
  const threadId = Atomics.load(slots, slot.threadId)
  if (threadId === 0) return undefined
  const file = Atomics.load(slots, slot.file)
  return {
    threadId,
    fileIndex: file === noFile ? undefined : file - 1,
    pages: Atomics.load(slots, slot.pages),
    begun: {
      processorMs: measures[measure.begunMs]!,
      memoryBytes: measures[measure.memoryBytes]!,
    },
    endedMs: measures[measure.endedMs] || undefined,
  }
}

function viewOf(progress: Progress) {
  return {
    slots: new Int32Array(progress, 0, 4),
    measures: new Float64Array(progress, slotsBytes),
  }
}

/** Processor time that this thread has used. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Returns the bytes of objects, buffers and WebAssembly memory of a thread. */
export function memoryBytesOf(heap: { used_heap_size: number; external_memory: number }): number {
  return heap.used_heap_size + heap.external_memory
}
