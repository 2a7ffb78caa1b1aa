/** A semaphore with a first-in, first-out queue. */
export type Semaphore = {
  /** Runs the work once a slot is free. Rejects with SemaphoreFull if too many callers already wait. */
  use<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Thrown if more callers wait than allowed. */
export class SemaphoreFull extends Error {
  override readonly name = 'SemaphoreFull'
}

export function createSemaphore({
  permits,
  waitingMax = Number.POSITIVE_INFINITY,
}: {
  permits: number
  waitingMax?: number
}): Semaphore {
  const waiting: (() => void)[] = []
  let free = permits

  async function take(): Promise<void> {
    if (free > 0) {
      free -= 1
      return
    }
    if (waiting.length >= waitingMax) throw new SemaphoreFull('Too many callers are waiting')
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function release(): void {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }

  return {
    use: async (work) => {
      await take()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
