import { PassThrough, type Readable } from 'node:stream'

export type LiveStreamsOptions<Facts> = {
  read: () => Promise<Facts>
  everyMs: number
  streamsMax: number
  /** The interval between checks whether a reader may continue. */
  admitEveryMs: number
}

export type LiveStreams = {
  /**
   * Returns a stream of server-sent events, or undefined if there are too many streams. Once `mayGoOn` resolves to
   * false, the stream sends a signed-out event and ends. If `mayGoOn` rejects, the stream continues.
   */
  open(mayGoOn: () => Promise<boolean>): Readable | undefined
  close(): void
}

/**
 * Sends the result of each read to all open streams, and reads only while a stream is open. A slow reader misses the
 * events that its buffer cannot take.
 */
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
      // the readers notice by the clock that no event arrives
      latest = undefined
    }
    if (streams.size === 0) latest = undefined
    for (const stream of streams) {
      const takes = !stream.writableEnded && !stream.writableNeedDrain
      if (latest !== undefined && takes) stream.write(latest)
    }
  }

  // Each read waits for the previous one, so that slow reads do not pile up.
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
      // otherwise the first event comes with the next read
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
