import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import net from 'node:net'
import tls from 'node:tls'
import pg from 'pg'
import type { Certificate } from './certificates.ts'
import { judgeIamToken } from './iam-token.ts'

/** A database behind a door that asks for tokens of AWS IAM as Amazon RDS does: over TLS, at each new connection. */
type IamPostgres = {
  port: number
  /** The tokens that connections have presented. */
  tokens: string[]
  /** Why connections were refused. */
  refusals: string[]
  /** How many connections are open. */
  open(): number
  /** Ends the open connections, as a failover does. */
  cut(): void
  close(): Promise<void>
}

type Options = {
  /** The database behind it, with a login that needs no token. */
  url: string
  certificate: Certificate
  region: string
  secretAccessKey: string
}

const sslRequest = 80_877_103
const asksForPassword = message('R', int32(3))
const signedIn = [message('R', int32(0)), message('S', 'server_version\0', '18.0\0')]
const ready = message('Z', 'I')

/** Listens on a free port as `localhost`. */
export async function startIamPostgres(options: Options): Promise<IamPostgres> {
  const { certificate, key } = options.certificate
  const secureContext = tls.createSecureContext({
    cert: await readFile(certificate),
    key: await readFile(key),
  })
  const [tokens, refusals] = [[] as string[], [] as string[]]
  const sockets = new Set<net.Socket>()

  async function serve(plain: net.Socket): Promise<void> {
    const [first] = (await once(plain, 'data')) as [Buffer]
    if (first.readInt32BE(4) !== sslRequest) throw new Error('it is not over TLS')
    plain.write('S')
    const socket = new tls.TLSSocket(plain, { isServer: true, secureContext })
    socket.on('error', () => plain.destroy())
    const startup = await read(socket, 0)
    const given = startup.subarray(4).toString().split('\0')
    const parameterOf = (name: string) => given[given.indexOf(name) + 1] ?? ''
    const user = parameterOf('user')
    socket.write(asksForPassword)
    const token = (await read(socket, 1)).subarray(0, -1).toString()
    tokens.push(token)
    const fault = judgeIamToken(token, { ...options, host: 'localhost', port, user })
    if (fault) {
      socket.end(message('E', 'SFATAL\0', 'C28000\0', `MPAM authentication failed: ${fault}\0\0`))
      throw new Error(fault)
    }
    const behind = new pg.Client({
      connectionString: options.url,
      ...(given.includes('options') && { options: parameterOf('options') }),
    })
    behind.on('error', () => plain.destroy())
    await behind.connect()
    const { stream } = (behind as unknown as { connection: { stream: net.Socket } }).connection
    stream.removeAllListeners('data')
    for (const part of [...signedIn, ready]) socket.write(part)
    socket.pipe(stream).pipe(socket)
    plain.once('close', () => stream.destroy())
  }

  const server = net.createServer((plain) => {
    sockets.add(plain)
    plain.on('error', () => {})
    plain.once('close', () => sockets.delete(plain))
    serve(plain).catch((error: Error) => {
      refusals.push(error.message)
      if (!plain.writableEnded) plain.end()
    })
  })
  await once(server.listen(0, 'localhost'), 'listening')
  const { port } = server.address() as net.AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    tokens,
    refusals,
    open: () => sockets.size,
    cut,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}

/** Reads one message: `typeBytes` bytes of its type, then its length. Returns what follows the length. */
async function read(socket: net.Socket, typeBytes: number): Promise<Buffer> {
  let bytes = Buffer.alloc(0)
  for (;;) {
    const [more] = (await once(socket, 'data')) as [Buffer]
    bytes = Buffer.concat([bytes, more])
    const start = typeBytes + 4
    if (bytes.length < start) continue
    if (bytes.length >= typeBytes + bytes.readInt32BE(typeBytes)) return bytes.subarray(start)
  }
}

function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  return Buffer.concat([Buffer.from(type), int32(content.length + 4), content])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
