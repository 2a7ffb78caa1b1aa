/** What one task may take. A thread that takes more is ended. */
export type Walls = {
  /** Of a processor, for the inspection of one file. */
  inspectionMs: number
  /** Of a processor, for the task in all. */
  taskMs: number
  /** JavaScript objects, buffers and WebAssembly memory together. */
  memoryBytes: number
}

export const walls: Walls = {
  inspectionMs: 10_000,
  taskMs: 60_000,
  memoryBytes: 512 * 1024 * 1024,
}

export type Wall = 'inspection-time' | 'task-time' | 'memory'

/** A task ran into a wall: what it was given is at fault, and would be again. */
export class WallBroken extends Error {
  override readonly name = 'WallBroken'
  readonly wall: Wall
  /** The file that was being looked at, if it was one. */
  readonly fileIndex: number | undefined

  constructor(wall: Wall, fileIndex: number | undefined) {
    super(`A task broke the wall of ${wall}`)
    this.wall = wall
    this.fileIndex = fileIndex
  }
}

/** A task went on for long and used little of a processor: a fault of ours, to be tried again. */
export class ThreadStarved extends Error {
  override readonly name = 'ThreadStarved'
}

/** Time on the clock, and time that the thread had a processor. */
export type Taken = { elapsedMs: number; processorMs: number }

export type Observed = {
  task: Taken
  /** Since the inspection under way began; undefined when none is. */
  inspection: Taken | undefined
  /** More than when the task began. */
  memoryBytes: number
}

/** How many times the wall of time may pass on the clock, when others keep the thread from its processor. */
const patience = 3

/**
 * The wall that a task has broken, if it has. Time is that of the processor, which a busy machine does not take from a
 * letter; a thread that goes on much longer than that has starved, or waits for what will not come.
 */
export function judge(
  { task, inspection, memoryBytes }: Observed,
  limits: Walls,
): Wall | 'starved' | undefined {
  if (memoryBytes > limits.memoryBytes) return 'memory'
  if (inspection && inspection.processorMs > limits.inspectionMs) return 'inspection-time'
  if (task.processorMs > limits.taskMs) return 'task-time'
  const isOverdue =
    task.elapsedMs > patience * limits.taskMs ||
    (inspection !== undefined && inspection.elapsedMs > patience * limits.inspectionMs)
  return isOverdue ? 'starved' : undefined
}
