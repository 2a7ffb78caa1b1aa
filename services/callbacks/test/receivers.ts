import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { parseRange } from '@despatch/domain/callback/may-call'
import { type OutboundCall, type OutboundOptions, openOutbound } from '../src/outbound/outbound.ts'

export const loopback = [parseRange('127.0.0.0/8')!]

export type Receivers = {
  /** A client whose `post` calls an origin, with a body and no headers unless the test says otherwise. */
  outboundTo(given?: Partial<OutboundOptions>): Post
  /** Starts a server, and returns its port. */
  serve(listener: RequestListener, address?: string, port?: number): Promise<number>
  serveTcp(onConnection: (socket: Socket) => void): Promise<number>
  serveTls(onConnection: (socket: Socket) => void, options?: TlsOptions): Promise<number>
  close(): Promise<void>
}

export type Post = (
  origin: string,
  call?: Partial<OutboundCall>,
) => ReturnType<ReturnType<typeof openOutbound>['post']>

/** Starts receivers on free ports of 127.0.0.1, and clients that call them. */
export function startReceivers(): Receivers {
  const closers: (() => unknown)[] = []

  async function listen(server: Pick<Server, 'listen' | 'address'>, address: string, port = 0) {
    await once(server.listen(port, address), 'listening')
    return (server.address() as AddressInfo).port
  }

  function keep(onConnection: (socket: Socket) => void) {
    const sockets = new Set<Socket>()
    closers.push(() => {
      for (const socket of sockets) socket.destroy()
    })
    return (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      onConnection(socket)
    }
  }

  return {
    outboundTo: (given = {}) => {
      const outbound = openOutbound({
        allowed: loopback,
        callsPerOriginMax: 8,
        deadlineMs: 60_000,
        resolve: () => Promise.reject(new Error('no name is looked up here')),
        ...given,
      })
      closers.unshift(() => outbound.close())
      return (origin, call = {}) =>
        outbound.post({
          consumerId: 'consumer',
          origin,
          path: '/',
          headers: [],
          body: Buffer.from('{}'),
          ...call,
        })
    },
    serve: (listener, address = '127.0.0.1', port = 0) => {
      const server = createServer(listener)
      closers.push(() => {
        server.close()
        server.closeAllConnections()
      })
      return listen(server, address, port)
    },
    serveTcp: (onConnection) => {
      const server = createTcpServer(keep(onConnection))
      closers.push(() => server.close())
      return listen(server as never, '127.0.0.1')
    },
    serveTls: (onConnection, options = {}) => {
      const server = createTlsServer(
        { key: selfSignedKey, cert: selfSigned, ...options },
        keep(onConnection) as (socket: TLSSocket) => void,
      )
      server.on('tlsClientError', () => {})
      closers.push(() => server.close())
      return listen(server as never, '127.0.0.1')
    },
    close: async () => {
      for (const close of closers.splice(0)) await close()
    },
  }
}

/** A self-signed certificate for receiver.example and 127.0.0.1. Its key protects nothing. */
export const selfSigned = `-----BEGIN CERTIFICATE-----
MIIBsDCCAVagAwIBAgIUEUvdrdI/Ztj+3lANU+nhzIBDws4wCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTAgFw0yNjExMjAxMzI1MDVaGA8y
MTI2MTAyNzEzMjUwNVowGzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABFmRRgI68nu99wUVlaBV4tMGNlAm62vs7KuH
/K5/GQDGjqE8525AjR+J9K5PwazYi7DBIsIofAq5c62GSj1VcHKjdjB0MB0GA1Ud
DgQWBBR7ZtlYvjOVc9uRTDg0hwASq/eSHDAfBgNVHSMEGDAWgBR7ZtlYvjOVc9uR
TDg0hwASq/eSHDAPBgNVHRMBAf8EBTADAQH/MCEGA1UdEQQaMBiCEHJlY2VpdmVy
LmV4YW1wbGWHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgR8/CarT1RL8JCJVvA45Z
YVZBVsoeza/7KgF42br44vcCIQCe8/NdHkJsOgrYrnOoE8aB3utgAfvAScrmMx8f
xRqvMQ==
-----END CERTIFICATE-----`
export const selfSignedKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRhyFC6gNQ1Knb2l1
Q4jPPjkPA25YhitYGDN/fa5HhN6hRANCAARZkUYCOvJ7vfcFFZWgVeLTBjZQJutr
7Oyrh/yufxkAxo6hPOduQI0fifSuT8Gs2IuwwSLCKHwKuXOthko9VXBy
-----END PRIVATE KEY-----`
