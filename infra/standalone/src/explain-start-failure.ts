const anotherFolder = 'Choose another folder with DESPATCH_DATA_DIR.'
const folderFaults: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'cannot be written to'],
  ['EPERM', 'cannot be written to'],
  ['EROFS', 'cannot be written to: the disk is read-only'],
  ['EEXIST', 'is not a folder'],
  ['ENOTDIR', 'is not a folder'],
  ['ENOENT', 'cannot be made'],
  ['ENOSPC', 'cannot be written to: the disk is full'],
  ['EDQUOT', 'cannot be written to: the quota is used up'],
])

/** Says in a line or two what failed and what to do. The stack belongs into the log. */
export function explainStartFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'ConfigError') return `\n${error.message}`
  const { code, port, path } = findSystemError(error)
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use. Set DESPATCH_PORT and DESPATCH_OPS_PORT to other ports, or to 0 for free ones.`
  }
  const fault = folderFaults.get(code ?? '')
  if (fault) return `${path ?? 'the data folder'} ${fault}. ${anotherFolder}`
  return messagesOf(error)
    .map((message) => message.split('\n', 1)[0])
    .join(': ')
}

type SystemError = { code?: string; syscall?: string; port?: number; path?: string }

/** The error, or the cause of it that the system reported. */
function findSystemError(error: Error): SystemError {
  const found = error as SystemError
  // Any file may be missing; a folder that cannot be made is on a read-only disk, or below one that was removed.
  const isKnown =
    found.code === 'ENOENT' ? found.syscall === 'mkdir' : folderFaults.has(found.code ?? '')
  if (found.code === 'EADDRINUSE' || isKnown) return found
  return error.cause instanceof Error ? findSystemError(error.cause) : {}
}

/** The error's message and those of its causes. An error of several attempts has its messages inside. */
function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const inner = error instanceof AggregateError ? messagesOf(error.errors[0]) : []
  return [error.message, ...inner, ...messagesOf(error.cause)].filter(Boolean)
}
