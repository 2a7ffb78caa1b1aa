import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { unzipSync } from 'node:zlib'

export type SessionAnswer = {
  status: number
  /** Undefined if it is not JSON. */
  body: unknown
}

/** The HTTP session of one process: a connection that is kept, and one request at a time. */
export type Session = Disposable & {
  /** Posts the body as JSON. Without a body, the request has no Content-Type and a Content-Length of 0. */
  post(
    path: string,
    body: object | undefined,
    headers?: Record<string, string>,
  ): Promise<SessionAnswer>
}

const libraryHeaders = {
  'user-agent': 'python-requests/2.32.3',
  'accept-encoding': 'gzip, deflate',
  accept: '*/*',
}

/** Begins a session with the headers of the client's library. */
export function beginSession(baseUrl: string): Session {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  return {
    post: async (path, body, headers = {}) => {
      const bytes = body && Buffer.from(JSON.stringify(body))
      const call = request(`${baseUrl}${path}`, {
        method: 'POST',
        agent,
        headers: {
          ...libraryHeaders,
          ...(bytes && { 'content-type': 'application/json' }),
          'content-length': bytes?.length ?? 0,
          ...headers,
        },
      })
      call.end(bytes)
      const [answer] = await once(call, 'response')
      const raw = await buffer(answer)
      const plain = answer.headers['content-encoding'] ? unzipSync(raw) : raw
      return { status: answer.statusCode, body: jsonOf(plain.toString()) }
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
