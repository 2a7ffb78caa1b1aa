import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

/** The answer of a name server: addresses, a code such as 3 (the name does not exist), or nothing at all. */
export type DnsAnswer =
  | { addresses?: readonly string[]; code?: number; delayMs?: number }
  | 'silence'

export type DnsServer = {
  /** Address and port. */
  server: string
  questions: readonly string[]
  close(): void
}

const headerBytes = 12
const questionEndBytes = 4
const typeA = 1
const typeAaaa = 28

/**
 * Starts a name server on a free port. `answer` answers each question, such as `A a.example`. The time to live is 0.
 */
export async function startDnsServer(answer: (question: string) => DnsAnswer): Promise<DnsServer> {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', async (query, from) => {
    const { name, type, end } = readQuestion(query)
    const question = `${type === typeAaaa ? 'AAAA' : 'A'} ${name}`
    questions.push(question)
    const told = answer(question)
    if (told === 'silence') return
    const { delayMs = 0 } = told
    if (delayMs > 0) await pause(delayMs)
    socket.send(writeAnswer(query.subarray(0, end), type, told), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => socket.close(),
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = headerBytes
  while (query[at] !== 0) {
    const length = query[at]!
    labels.push(query.subarray(at + 1, at + 1 + length).toString())
    at += 1 + length
  }
  return {
    name: labels.join('.'),
    type: query.readUInt16BE(at + 1),
    end: at + 1 + questionEndBytes,
  }
}

function writeAnswer(
  asked: Buffer,
  type: number,
  { addresses = [], code = 0 }: Exclude<DnsAnswer, 'silence'>,
): Buffer {
  const header = Buffer.from(asked.subarray(0, headerBytes))
  // Flags: response, recursion available, and the result code.
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8)
  const records = addresses.map((address) => {
    const data = type === typeA ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address)
    // A pointer to the name in the question; class IN; a time to live of 0.
    const head = Buffer.from([0xc0, headerBytes, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, asked.subarray(headerBytes), ...records])
}

/** Returns the bytes of an address that contains one `::`. */
function ipv6Bytes(address: string): Buffer {
  const [before = '', after = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const missing = 8 - groups(before).length - groups(after).length
  const all = [...groups(before), ...Array.from({ length: missing }, () => '0'), ...groups(after)]
  return Buffer.from(
    all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  )
}
