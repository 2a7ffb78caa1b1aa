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

/** Runs something with a signal that aborts with the outer one, and with `reason` after the time. */
export async function within<T>(
  { ms, signal, reason }: { ms: number; signal?: AbortSignal | undefined; reason: () => unknown },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(reason()), ms)
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await waitFor(run(controller.signal), controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
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
