type LimitOptions = { callsMax: number; waitingMax: number }

/** Thrown to a caller while `waitingMax` others already wait. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
  readonly code = 'EBUSY'
}

/**
 * Returns a function that runs at most `callsMax` calls at once, while at most `waitingMax` others wait their turn.
 * Rejects with `QueueFull` if more would wait.
 */
export function createLimit<Input, Output>(
  { callsMax, waitingMax }: LimitOptions,
  call: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  const waiting: (() => void)[] = []
  let underWay = 0

  return async (input) => {
    if (waiting.length >= waitingMax) throw new QueueFull('too many calls are waiting')
    if (underWay < callsMax) underWay += 1
    // A call that ends passes its slot on to the next.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await call(input)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay -= 1
    }
  }
}
