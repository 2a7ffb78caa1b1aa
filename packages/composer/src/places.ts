/** A number of places, taken in the order of asking. */
export type Places = {
  /** Does the work in a place, once there is one. Rejects with PlacesBusy when too many wait for one already. */
  use<Result>(work: () => Promise<Result>): Promise<Result>
}

/** More wait than may. */
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
