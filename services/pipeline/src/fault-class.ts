/** Names a fault by its class, or by its code where the class tells nothing (`ECONNREFUSED`). Never by its message, which may hold data. */
export function classOfFault(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  const { name, code } = error as Error & { code?: unknown }
  const isTelling = name !== 'Error' && name !== 'AggregateError'
  return !isTelling && typeof code === 'string' && codeForm.test(code) ? code : name
}

const codeForm = /^[A-Z0-9_]{3,40}$/
