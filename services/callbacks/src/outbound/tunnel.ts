import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIPv6, type Socket } from 'node:net'
import type { Endpoint } from '@despatch/domain/callback/may-call'

/** Thrown if the proxy made no connection. `isFaultOfOurs`: the proxy itself cannot be used, whatever the target is. */
export class NoTunnel extends Error {
  override readonly name = 'NoTunnel'
  readonly isFaultOfOurs: boolean
  /** The status of the proxy, such as PROXY_502, or the code of the error. */
  readonly code: string

  constructor(code: string, { isFaultOfOurs }: { isFaultOfOurs: boolean }) {
    super('the proxy made no connection')
    this.code = code
    this.isFaultOfOurs = isFaultOfOurs
  }
}

const headerBytesMax = 16 * 1024
const proxyAuthenticationRequired = 407

/**
 * Asks the proxy for a connection to an address by CONNECT. The proxy gets the address and no name, so it resolves
 * nothing. User and password in the proxy's URL are sent as Basic. Rejects with NoTunnel, at the latest after
 * `deadlineMs`.
 */
export function openTunnel(
  proxy: URL,
  { address, port }: Endpoint,
  deadlineMs: number,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const path = `${isIPv6(address) ? `[${address}]` : address}:${port}`
  const send = proxy.protocol === 'https:' ? requestHttps : requestHttp
  const request = send({
    method: 'CONNECT',
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port,
    path,
    headers: { host: path, ...credentialsOf(proxy) },
    agent: false,
    maxHeaderSize: headerBytesMax,
    // Overrides environment variables that switch verification off.
    rejectUnauthorized: true,
  })
  const fail = (code: string, isFaultOfOurs: boolean) => {
    clearTimeout(timer)
    reject(new NoTunnel(code, { isFaultOfOurs }))
    request.destroy()
  }
  let isConnected = false
  const timer = setTimeout(() => fail('ETIMEDOUT', !isConnected), deadlineMs)
  request
    .on('socket', (socket) => {
      socket.once(proxy.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        isConnected = true
      })
    })
    .on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.name, true))
    .on('connect', (response, socket: Socket, head) => {
      const { statusCode = 0 } = response
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy()
        return fail(`PROXY_${statusCode}`, statusCode === proxyAuthenticationRequired)
      }
      clearTimeout(timer)
      // The next owner of the socket handles errors. Without this listener, an error before that would end the process.
      socket.on('error', () => {})
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    .end()
  return promise
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}
