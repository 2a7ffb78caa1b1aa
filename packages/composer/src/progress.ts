import { getHeapStatistics } from 'node:v8'
import { threadId as ownThreadId } from 'node:worker_threads'

/**
 * Progress of a task in shared memory, readable while the thread is busy and cannot answer. The thread writes; the main
 * thread reads.
 */
export type Progress = SharedArrayBuffer

const slot = { threadId: 0, file: 1, inspections: 2, isInspecting: 3 } as const
const slotsBytes = 4 * Int32Array.BYTES_PER_ELEMENT
const begunSlot = { processorMs: 0, memoryBytes: 1 } as const
const begunBytes = 2 * Float64Array.BYTES_PER_ELEMENT
/** No file: the task works on the whole letter. */
const noFile = 0

export function newProgress(): Progress {
  return new SharedArrayBuffer(slotsBytes + begunBytes)
}

export type ProgressWriter = {
  /** The inspection of a file begins. The limit for inspections counts from here. */
  inspecting(fileIndex: number): void
  /** Longer work begins, on a file or, without an index, on the whole letter. */
  working(fileIndex?: number): void
}

/** Records in the task's own thread that the task has begun. */
export function writeProgress(progress: Progress): ProgressWriter {
  const slots = new Int32Array(progress, 0, 4)
  const begun = new Float64Array(progress, slotsBytes)
  const { user, system } = process.threadCpuUsage()
  begun[begunSlot.processorMs] = (user + system) / 1000
  begun[begunSlot.memoryBytes] = memoryBytesOf(getHeapStatistics())
  // Stored last and atomically: a reader that sees the thread id also sees the values above.
  Atomics.store(slots, slot.threadId, ownThreadId)
  return {
    inspecting: (fileIndex) => {
      Atomics.store(slots, slot.file, fileIndex + 1)
      Atomics.add(slots, slot.inspections, 1)
      Atomics.store(slots, slot.isInspecting, 1)
    },
    working: (fileIndex) => {
      Atomics.store(slots, slot.isInspecting, 0)
      Atomics.store(slots, slot.file, fileIndex === undefined ? noFile : fileIndex + 1)
    },
  }
}

export type ReadProgress = {
  threadId: number
  fileIndex: number | undefined
  /** Number of the inspection, different for each; undefined while none is under way. */
  inspection: number | undefined
  /** What the thread had used before the task. */
  begun: { processorMs: number; memoryBytes: number }
}

/** Returns the progress, or undefined if no thread has begun the task. */
export function readProgress(progress: Progress): ReadProgress | undefined {
  const slots = new Int32Array(progress, 0, 4)
  const threadId = Atomics.load(slots, slot.threadId)
  if (threadId === 0) return undefined
  const file = Atomics.load(slots, slot.file)
  const isInspecting = Atomics.load(slots, slot.isInspecting) === 1
  const begun = new Float64Array(progress, slotsBytes)
  return {
    threadId,
    fileIndex: file === noFile ? undefined : file - 1,
    inspection: isInspecting ? Atomics.load(slots, slot.inspections) : undefined,
    begun: {
      processorMs: begun[begunSlot.processorMs]!,
      memoryBytes: begun[begunSlot.memoryBytes]!,
    },
  }
}

/** Returns the bytes of objects, buffers and WebAssembly memory of a thread. */
export function memoryBytesOf(heap: { used_heap_size: number; external_memory: number }): number {
  return heap.used_heap_size + heap.external_memory
}
