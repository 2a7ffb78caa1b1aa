import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { type AllowedRange, mayConnect } from '@despatch/domain/callback/may-call'
import { buildConnector } from 'undici'
import type { Resolve } from './resolve.ts'

/** What makes the connections of one client, which has one at a time. */
export type Connections = {
  connect: buildConnector.connector
  /** The address of the last connection, once there was one. */
  readonly address: string | undefined
  /** What has come over it so far. */
  readonly bytesRead: number
}

/** No connection was made, so nothing was sent. `isConnected`: but for TLS there was one. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected'
  readonly isConnected: boolean

  constructor(cause: unknown, { isConnected }: { isConnected: boolean }) {
    super('no connection', { cause })
    this.isConnected = isConnected
  }
}

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
  override readonly message = 'no address that may be called'
}

export type ConnectOptions = { allowed: readonly AllowedRange[]; resolve: Resolve }

const connectDeadlineMs = 5_000

/**
 * Makes what connects, once for each client, and only to addresses that may be called. What a name was resolved to is what
 * is connected to.
 */
export function createConnectionsFor({ allowed, resolve }: ConnectOptions): () => Connections {
  const open = buildConnector({
    timeout: connectDeadlineMs,
    lookup: guardedLookup(resolve, allowed),
    autoSelectFamily: true,
    allowH2: false,
    // Whatever the environment says.
    rejectUnauthorized: true,
    maxCachedSessions: 0,
  } as buildConnector.BuildOptions) as unknown as OpenSocket

  return () => {
    let address: string | undefined
    let socket: Socket | undefined
    return {
      get address() {
        return address
      },
      get bytesRead() {
        return socket?.bytesRead ?? 0
      },
      connect: (options, done) => {
        address = undefined
        const fail = (cause: unknown) =>
          done(new NotConnected(cause, { isConnected: address !== undefined }), null)
        // An address that stands in the target itself is not looked up.
        if (isIP(options.hostname) && !mayConnect(options.hostname, allowed)) {
          return fail(new ForbiddenAddress())
        }
        const opening = open(options, (error, connected) => {
          if (error) fail(error)
          else if (address === undefined) fail(new ForbiddenAddress())
          else done(null, connected)
        })
        opening.prependOnceListener('connect', () => {
          const { remoteAddress = '' } = opening
          // Resolving is guarded already; this holds even if a connection comes about in another way.
          if (mayConnect(remoteAddress, allowed)) address = remoteAddress
          else opening.destroy(new ForbiddenAddress())
        })
        socket = opening
      },
    }
  }
}

/** What `buildConnector` makes, with the socket that it returns. */
type OpenSocket = (
  options: buildConnector.Options,
  done: (error: Error | null, socket: Socket) => void,
) => Socket

/** Resolves a name to those of its addresses that may be connected to. The socket uses these and no others. */
function guardedLookup(resolve: Resolve, allowed: readonly AllowedRange[]): LookupFunction {
  return (hostname, options, done) => {
    const finish = (found: LookupAddress[]) => {
      const open = found.filter(({ address }) => mayConnect(address, allowed))
      const [first] = open
      if (!first) return done(new ForbiddenAddress(), [])
      if (options.all) return done(null, open)
      done(null, first.address, first.family)
    }
    resolve(hostname).then(finish, (error) => done(error, []))
  }
}
