import { PassThrough, type Readable } from 'node:stream'

export type LiveStreamsOptions<Facts> = {
  read: () => Promise<Facts>
  everyMs: number
  streamsMax: number
  /** How often it is asked whether a reader may go on. */
  admitEveryMs: number
}

export type LiveStreams = {
  /**
   * A stream of server-sent events, or undefined when there are too many. It ends, with an event that says so, once
   * `mayGoOn` says no. What cannot be found out ends nothing.
   */
  open(mayGoOn: () => Promise<boolean>): Readable | undefined
  close(): void
}

/** Sends what is read to all who look, reading while there is somebody. A reader who is slow misses what it cannot take. */
export function createLiveStreams<Facts>(options: LiveStreamsOptions<Facts>): LiveStreams {
  const { read, everyMs, streamsMax, admitEveryMs } = options
  const streams = new Set<PassThrough>()
  let latest: string | undefined
  let isRunning = false
  let isClosed = false

  async function send(): Promise<void> {
    try {
      latest = renderEvent('facts', await read())
    } catch {
      // the readers see by the clock that nothing comes
      latest = undefined
    }
    if (streams.size === 0) latest = undefined
    for (const stream of streams) {
      const takes = !stream.writableEnded && !stream.writableNeedDrain
      if (latest !== undefined && takes) stream.write(latest)
    }
  }

  // The next reading waits for the one before: slow ones do not pile up.
  async function run(): Promise<void> {
    isRunning = true
    while (streams.size > 0 && !isClosed) {
      await send()
      await new Promise((resolve) => setTimeout(resolve, everyMs).unref())
    }
    isRunning = false
  }

  function drop(stream: PassThrough): void {
    streams.delete(stream)
    if (streams.size === 0) latest = undefined
  }

  function admit(stream: PassThrough, mayGoOn: () => Promise<boolean>): void {
    const admission = setInterval(() => {
      mayGoOn().then(
        (may) => {
          if (!may) stream.end(renderEvent('signed-out', {}))
        },
        () => {},
      )
    }, admitEveryMs)
    stream.once('close', () => clearInterval(admission))
  }

  return {
    open: (mayGoOn) => {
      if (streams.size >= streamsMax) return undefined
      const stream = new PassThrough()
      streams.add(stream)
      stream.once('close', () => drop(stream))
      stream.write('retry: 2000\n\n')
      // without one it comes with the next reading
      if (latest !== undefined) stream.write(latest)
      if (!isRunning) void run()
      admit(stream, mayGoOn)
      return stream
    },
    close: () => {
      isClosed = true
      for (const stream of streams) stream.end()
    },
  }
}

function renderEvent(name: string, content: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(content)}\n\n`
}
