import pg from 'pg'

/** Of the sessions of this process, in every log or in none: a background part may ignore the error. */
globalThis.deniedStatements ??= watch()
const denied = globalThis.deniedStatements

declare global {
  var deniedStatements: string[] | undefined
}

/**
 * Returns what PostgreSQL has refused since the last call because the role of a session may not do it. A test that
 * expects refusals takes them.
 */
export function takeDenied(): string[] {
  return denied.splice(0)
}

function watch(): string[] {
  const found: string[] = []
  const { prototype } = pg.Connection
  const emit = prototype.emit
  prototype.emit = function (this: pg.Connection, event: string | symbol, ...values: unknown[]) {
    const { code, message } = (values[0] ?? {}) as { code?: unknown; message?: unknown }
    if (event === 'errorMessage' && code === '42501') found.push(String(message))
    return emit.call(this, event, ...values)
  } as typeof emit
  return found
}
