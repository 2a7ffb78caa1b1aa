import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { type AllowedRange, mayConnect } from '@despatch/domain/callback/may-call'
import { buildConnector } from 'undici'
import type { Resolve } from './resolve.ts'

/** The connector of one client, which has one connection at a time. */
export type Connections = {
  connect: buildConnector.connector
  /** The address of the last connection; undefined before the first one. */
  readonly address: string | undefined
  /** The bytes received over the connection so far. */
  readonly bytesRead: number
}

/** Thrown if no connection was made, so that nothing was sent. `isConnected`: only the TLS handshake failed. */
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
  override readonly message = 'no allowed address'
}

export type ConnectOptions = { allowed: readonly AllowedRange[]; resolve: Resolve }

const connectDeadlineMs = 5_000

/**
 * Returns a function that creates a connector for one client. A connector reaches only addresses that may be called. It
 * connects to exactly the addresses that the name resolved to.
 */
export function createConnectionsFor({ allowed, resolve }: ConnectOptions): () => Connections {
  const open = buildConnector({
    timeout: connectDeadlineMs,
    lookup: guardedLookup(resolve, allowed),
    autoSelectFamily: true,
    allowH2: false,
    // Overrides environment variables that switch verification off.
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
        // An address in the target itself needs no lookup, so it is checked here.
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
          // The lookup is guarded already. This check holds even if a connection is made in another way.
          if (mayConnect(remoteAddress, allowed)) address = remoteAddress
          else opening.destroy(new ForbiddenAddress())
        })
        socket = opening
      },
    }
  }
}

/** The function that `buildConnector` returns, typed with the socket that it returns. */
type OpenSocket = (
  options: buildConnector.Options,
  done: (error: Error | null, socket: Socket) => void,
) => Socket

/** Resolves a name to those of its addresses that may be connected to. The socket uses no others. */
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
