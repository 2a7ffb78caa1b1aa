import type { Socket } from 'node:net'

const headerBytesMax = 16 * 1024

/**
 * Removes each `100 Continue` at the beginning of a response. RFC 9110, section 15.2: a client must accept informational
 * responses that it has not asked for, but undici closes the connection on this one. Changes `read` of the socket.
 * Call the returned function before each request: what follows is the beginning of its response.
 */
export function skipContinue(socket: Socket): () => void {
  const read = socket.read.bind(socket)
  let isAtStart = false
  let held: Buffer = Buffer.alloc(0)
  socket.read = (size?: number) => {
    if (!isAtStart) return read(size)
    for (let chunk = read(); chunk !== null; chunk = read()) {
      held = withoutContinue(held.length === 0 ? chunk : Buffer.concat([held, chunk]))
      if (mayBeContinue(held) && held.length < headerBytesMax) continue
      const start = held
      isAtStart = false
      held = Buffer.alloc(0)
      return start
    }
    return null
  }
  return () => {
    isAtStart = true
  }
}

function withoutContinue(bytes: Buffer): Buffer {
  let rest = bytes
  while (isContinue(rest)) {
    const headers = /^[\s\S]*?\r?\n\r?\n/.exec(rest.toString('latin1', 0, headerBytesMax))?.[0]
    if (headers === undefined) return rest
    rest = rest.subarray(headers.length)
  }
  return rest
}

const statusLine = 'HTTP/1.x 100'
const digitAt = statusLine.indexOf('100')

function isContinue(bytes: Buffer): boolean {
  return bytes.length > statusLine.length && mayBeContinue(bytes)
}

/** Whether these bytes are, or may become, the beginning of a `100 Continue`. */
function mayBeContinue(bytes: Buffer): boolean {
  // nearly every answer begins with another digit
  if (bytes.length > digitAt && bytes[digitAt] !== statusLine.charCodeAt(digitAt)) return false
  const given = bytes.toString('latin1', 0, statusLine.length)
  const isAlike = [...given].every((letter, at) => at === 7 || letter === statusLine[at])
  // A longer number is no status.
  return isAlike && !/\d/.test(bytes.toString('latin1', statusLine.length, statusLine.length + 1))
}
