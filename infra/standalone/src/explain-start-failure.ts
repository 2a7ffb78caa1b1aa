/** One clear line for what a user can mend; the stack for what they cannot. */
export function explainStartFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'ConfigError') return `\n${error.message}`
  const { code, port } = error as { code?: string; port?: number }
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use. Set DESPATCH_PORT and DESPATCH_OPS_PORT to other ports, or to 0 for free ones.`
  }
  if (code === 'EACCES') return `${error.message}. Choose another place with DESPATCH_DATA_DIR.`
  return error.stack ?? error.message
}
