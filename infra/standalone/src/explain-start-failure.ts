/** Says in a line or two what failed and what to do. The stack belongs into the log. */
export function explainStartFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'ConfigError') return `\n${error.message}`
  const { code, port } = error as { code?: string; port?: number }
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use. Set DESPATCH_PORT and DESPATCH_OPS_PORT to other ports, or to 0 for free ones.`
  }
  if (code === 'EACCES') return `${error.message}. Choose another place with DESPATCH_DATA_DIR.`
  return messagesOf(error).join(': ')
}

/** The error's message and those of its causes. An error of several attempts has its messages inside. */
function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const inner = error instanceof AggregateError ? messagesOf(error.errors[0]) : []
  return [error.message, ...inner, ...messagesOf(error.cause)].filter(Boolean)
}
