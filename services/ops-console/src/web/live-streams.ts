import { PassThrough, type Readable } from 'node:stream'

type LiveStreamsOptions<Facts, Reader> = {
  read: () => Promise<Facts>
  /** Returns for each reader whether it may continue. If it throws, all continue. */
  admit: (readers: readonly Reader[]) => Promise<readonly boolean[]>
  everyMs: number
  streamsMax: number
  /** The interval between checks whether the readers may continue. */
  admitEveryMs: number
}

type LiveStreams<Reader> = {
  /**
   * Returns a stream of server-sent events, or undefined if there are too many streams. Once the reader may not
   * continue, the stream sends a signed-out event and ends.
   */
  open(reader: Reader): Readable | undefined
  close(): void
}

/**
 * Sends the result of each read to all open streams, and reads only while a stream is open. All readers are checked at
 * once. A slow reader misses the events that its buffer cannot take.
 */
export function createLiveStreams<Facts, Reader>(
  options: LiveStreamsOptions<Facts, Reader>,
): LiveStreams<Reader> {
  const { read, admit, everyMs, streamsMax, admitEveryMs } = options
  const streams = new Map<PassThrough, Reader>()
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
    for (const stream of streams.keys()) {
      const takes = !stream.writableEnded && !stream.writableNeedDrain
      if (latest !== undefined && takes) stream.write(latest)
    }
  }

  // Each read waits for the previous one, so that slow reads do not pile up.
  async function run(): Promise<void> {
    isRunning = true
    const admission = setInterval(() => void admitAll().catch(() => {}), admitEveryMs).unref()
    while (streams.size > 0 && !isClosed) {
      await send()
      await new Promise((resolve) => setTimeout(resolve, everyMs).unref())
    }
    clearInterval(admission)
    isRunning = false
  }

  function drop(stream: PassThrough): void {
    streams.delete(stream)
    if (streams.size === 0) latest = undefined
  }

  async function admitAll(): Promise<void> {
    const asked = [...streams]
    const may = await admit(asked.map(([, reader]) => reader))
    asked.forEach(([stream], index) => {
      if (!may[index] && !stream.writableEnded) stream.end(renderEvent('signed-out', {}))
    })
  }

  return {
    open: (reader) => {
      if (streams.size >= streamsMax) return undefined
      const stream = new PassThrough()
      streams.set(stream, reader)
      stream.once('close', () => drop(stream))
      stream.write('retry: 2000\n\n')
      // otherwise the first event comes with the next read
      if (latest !== undefined) stream.write(latest)
      if (!isRunning) void run()
      return stream
    },
    close: () => {
      isClosed = true
      for (const stream of streams.keys()) stream.end()
    },
  }
}

function renderEvent(name: string, content: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(content)}\n\n`
}
