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

/** Returns one or two lines that say what failed and what to do. The stack belongs in the log. */
export function explainStartFailure(error: unknown): string {
  // What had been started could not be closed either. The first error says why the start failed.
  if (error instanceof SuppressedError) return explainStartFailure(error.suppressed)
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'ConfigError') return `\n${error.message}`
  const { code, port, path } = findSystemError(error)
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use. Set DESPATCH_PORT and DESPATCH_OPS_PORT to other ports, or to 0 for free ones. A second Despatch also requires a DESPATCH_DATA_DIR of its own.`
  }
  const fault = folderFaults.get(code ?? '')
  if (fault) return `${path ?? 'the data folder'} ${fault}. ${anotherFolder}`
  return messagesOf(error)
    .map((message) => message.split('\n', 1)[0])
    .join(': ')
}

type SystemError = { code?: string; syscall?: string; port?: number; path?: string }

/** Returns the error, or the cause of it that the system reported. */
function findSystemError(error: Error): SystemError {
  const found = error as SystemError
  // A missing file can have many causes. A directory that cannot be created is on a read-only disk, or below one that
  // was deleted.
  const isKnown =
    found.code === 'ENOENT' ? found.syscall === 'mkdir' : folderFaults.has(found.code ?? '')
  if (found.code === 'EADDRINUSE' || isKnown) return found
  return error.cause instanceof Error ? findSystemError(error.cause) : {}
}

/** Returns the messages of the error and its causes. An AggregateError has its messages inside. */
function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const inner = error instanceof AggregateError ? messagesOf(error.errors[0]) : []
  return [error.message, ...inner, ...messagesOf(error.cause)].filter(Boolean)
}
