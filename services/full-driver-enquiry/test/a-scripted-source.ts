import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a source does with each request: respond with a status and a body, or run the function. */
export type Script =
  | { status: number; body: string }
  | ((response: ServerResponse, request: IncomingMessage) => void)

export type HeardRequest = {
  url: string | undefined
  headers: Record<string, unknown>
  body: string
}

export type ScriptedSource = {
  url: string
  heard: HeardRequest[]
  /** What it does with the next requests. */
  script: Script
  stop(): Promise<void>
}

export const silent: Script = () => {}
/** Accepts the request and drops the connection. */
export const hangsUp: Script = (response) => void response.destroy()
/** Starts a response and never ends it. */
export const dribbles: Script = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"cpcs":[')
}

export function json(body: unknown, status = 200): Script {
  return { status, body: JSON.stringify(body) }
}

/** A local server in place of a source. It can also misbehave. */
export async function aScriptedSource(script: Script): Promise<ScriptedSource> {
  const heard: HeardRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url, headers } = request
    heard.push({ url, headers, body: Buffer.concat(chunks).toString() })
    const { script: now } = source
    if (typeof now === 'function') return now(response, request)
    response.writeHead(now.status, { 'content-type': 'application/json' }).end(now.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const source: ScriptedSource = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    script,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return source
}
