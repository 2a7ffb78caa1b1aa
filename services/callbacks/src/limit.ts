export type LimitOptions = { callsMax: number; waitingMax: number }

/** More than `waitingMax` callers wait already. */
export class TooManyWait extends Error {
  override readonly name = 'TooManyWait'
  readonly code = 'EBUSY'
}

/** Lets a few calls run at once; the others wait their turn. Rejects with `TooManyWait` instead of waiting without end. */
export function createLimit<Input, Output>(
  { callsMax, waitingMax }: LimitOptions,
  call: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  const waiting: (() => void)[] = []
  let underWay = 0

  return async (input) => {
    if (waiting.length >= waitingMax) throw new TooManyWait('too many calls wait')
    if (underWay < callsMax) underWay += 1
    // Whoever ends hands its place over.
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
