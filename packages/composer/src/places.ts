/** A semaphore with a first-in, first-out queue. */
export type Places = {
  /** Runs the work once a slot is free. Rejects with PlacesBusy if too many callers already wait. */
  use<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Thrown if more callers wait than allowed. */
export class PlacesBusy extends Error {
  override readonly name = 'PlacesBusy'
}

export function createPlaces({
  places,
  waitingMax = Number.POSITIVE_INFINITY,
}: {
  places: number
  waitingMax?: number
}): Places {
  const waiting: (() => void)[] = []
  let free = places

  async function take(): Promise<void> {
    if (free > 0) {
      free -= 1
      return
    }
    if (waiting.length >= waitingMax) throw new PlacesBusy('Too many wait for a place')
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
