const timerMsMax = 2 ** 31 - 1

/** Pauses. Throws the reason of the signal when it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return abortable(
    signal,
    (onAbort) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        onAbort(() => clearTimeout(timer))
      }),
  )
}

/** Waits for something that others wait for too: an abort ends only this wait. */
export function waitFor<T>(shared: Promise<T>, signal?: AbortSignal): Promise<T> {
  return abortable(signal, () => shared)
}

/**
 * Runs something with a signal, which aborts when the outer one does, when `stop` is called, and, with `reason`, when
 * the time is over.
 */
export async function within<T>(
  { ms, signal, reason }: { ms: number; signal?: AbortSignal | undefined; reason: () => unknown },
  run: (signal: AbortSignal, stop: (reason: unknown) => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const stopTimer = after(ms, () => controller.abort(reason()))
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const stop = (why: unknown) => controller.abort(why)
    return await waitFor(run(controller.signal, stop), controller.signal)
  } finally {
    stopTimer()
    signal?.removeEventListener('abort', abort)
  }
}

/** Calls something later, and returns a function that prevents it. One timer alone cannot be longer than 25 days. */
function after(ms: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const wait = (leftMs: number) => {
    const step = Math.min(leftMs, timerMsMax)
    timer = setTimeout(() => (leftMs > step ? wait(leftMs - step) : run()), step)
  }
  wait(ms)
  return () => clearTimeout(timer)
}

async function abortable<T>(
  signal: AbortSignal | undefined,
  run: (onAbort: (stop: () => void) => void) => Promise<T>,
): Promise<T> {
  let stop = () => {}
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      stop()
      reject(signal?.reason)
    }
  })
  const running = run((own) => {
    stop = own
  })
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([aborted, running])
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}
